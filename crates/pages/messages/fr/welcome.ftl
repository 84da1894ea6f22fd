# The page after sign-up, and the ways to begin

welcome-title = Qu’avez-vous vu ?
welcome-step-account = 1 Compte
welcome-step-seen = 2 Vos anime
welcome-step-suggestions = 3 Suggestions
welcome-lead = Bienvenue, { $name }. Marquez trois anime que vous avez vus pour obtenir des suggestions à votre goût.
welcome-find = Chercher
welcome-find-hint = Titre dans n’importe quelle langue
welcome-seen = Vu
welcome-progress = Vus : { $seen } sur { $wanted }.
welcome-missing = { $count ->
    [one] Encore un pour des suggestions à votre goût.
   *[other] Encore { $count } pour des suggestions à votre goût.
}
welcome-enough = { $seen } vus. Vos suggestions sont prêtes.
welcome-continue = Continuer
welcome-bring = Apportez votre liste
welcome-bring-file = Importez un fichier exporté par un autre service.
welcome-bring-trackers = Ou connectez le compte que vous y avez. Les deux listes restent alors synchronisées.
welcome-file = Importer un fichier
welcome-play = Connectez un lecteur
welcome-play-explanation = Votre serveur multimédia ou votre lecteur vidéo indique à Kiroku ce que vous regardez, et votre liste se met à jour.
welcome-skip = Passer pour l’instant
welcome-more = Autres façons de commencer
