# Every page

page-skip = Aller au contenu principal
page-navigation = Navigation principale
page-today = Aujourd’hui
page-list = Ma liste
page-seasons = Saisons
page-calendar = Calendrier
page-statistics = Statistiques
page-songs = Chansons
page-sign-in = Se connecter
page-sign-up = Créer un compte
page-account = menu du compte
page-my-profile = Mon profil
page-my-year = Mon année
page-settings = Réglages
page-sign-out = Se déconnecter
page-find = Trouver un anime ou une chanson
page-search = Rechercher un anime
page-search-button = Rechercher
page-start = Aller à la page d’accueil
page-error-title = Erreur : { $title }
page-footer = Kiroku signifie « registre » en japonais. Ses cookies servent seulement à vous garder connecté, à protéger ses formulaires, à conserver vos réglages d’affichage et à reconnaître ce navigateur à votre prochaine connexion.
page-footer-images = Les images de cette page sont chargées depuis les serveurs des sources du catalogue.
page-footer-no-images = Cette page ne charge rien depuis d’autres sites.
page-import = Importer une liste
page-developers = Pour les développeurs
page-applications = Vos applications
page-style-guide = Guide de style

# Search while typing

suggest-results = { $count ->
    [one] { $count } résultat
   *[other] { $count } résultats
}
suggest-all = Tous les résultats pour « { $search } »
suggest-none = Rien ne correspond à « { $search } ».
suggest-plan = Ajouter « { $title } » aux anime à voir

# Sign-out without the proof that a page of this site asks for it

sign-out-question = Voulez-vous vous déconnecter de Kiroku dans ce navigateur ?

# Dates and times

date-day = { $day ->
    [1] 1er
   *[other] { $day }
} { $month ->
    [1] janvier
    [2] février
    [3] mars
    [4] avril
    [5] mai
    [6] juin
    [7] juillet
    [8] août
    [9] septembre
    [10] octobre
    [11] novembre
   *[12] décembre
} { $year }
date-month = { $month ->
    [1] janvier
    [2] février
    [3] mars
    [4] avril
    [5] mai
    [6] juin
    [7] juillet
    [8] août
    [9] septembre
    [10] octobre
    [11] novembre
   *[12] décembre
} { $year }
date-year = { $year }
date-moment = { $date }, { $time } { $zone }
wait-minutes = { $count ->
    [one] { $count } minute
   *[other] { $count } minutes
}
wait-hours = { $count ->
    [one] { $count } heure
   *[other] { $count } heures
}

# Errors of all pages

api-page-not-found = Page introuvable
