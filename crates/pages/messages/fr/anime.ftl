# Start page

start-anime-count = { $count } anime
start-song-count = { $count ->
    [one] { $count } chanson
   *[other] { $count } chansons
}

# One anime

anime-untitled = Anime { $id }
anime-episode-count = { $count ->
    [one] { $count } épisode
   *[other] { $count } épisodes
}
anime-sign-in = Se connecter pour l’ajouter à ma liste
anime-description = Description
anime-no-description = Le catalogue n’a pas encore de description.
anime-episodes = Épisodes
anime-season = Saison
anime-adult = Pour adultes
anime-studios = Studios
anime-tags = Mots-clés
anime-synonyms = Autres titres
anime-titles = Titres
anime-songs = Chansons
anime-more-songs = Et { $count ->
    [one] { $count } autre chanson
   *[other] { $count } autres chansons
}
anime-links = Ailleurs
anime-trailer = Bande-annonce
anime-similar = Vous aimerez peut-être
anime-minutes = { $count } min
anime-episodes-of = { $count ->
    [one] { $count } épisode de { $minutes } min
   *[other] { $count } épisodes de { $minutes } min
}
anime-since = à partir du { $date }
anime-scored = noté { $score }
anime-watched = Épisode { $number } vu
anime-watched-once = Je l’ai vu
anime-episode-less = Un épisode de moins
anime-add-note = Ajouter une remarque
anime-invitation = Gardez-le dans votre liste, avec votre progression, votre note et vos remarques.
anime-order = Ordre de visionnage
anime-order-dashed = en pointillés : épisodes spéciaux et œuvres courtes
anime-order-here = Vous êtes ici
anime-order-earlier = D’autres œuvres précèdent celles-ci.
anime-order-later = D’autres œuvres suivent celles-ci.
anime-next = Prochain épisode
anime-next-day = { $weekday } { $date }
anime-next-utc = Il s’agit du jour en UTC. L’heure n’est pas connue.
anime-in-days = { $count ->
    [0] aujourd’hui
    [1] demain
   *[other] dans { $count } jours
}
anime-trailer-play = Lire la bande-annonce (YouTube)
anime-trailer-watch = Voir la bande-annonce
anime-lists = Dans les listes de Kiroku
anime-scores = Notes sur Kiroku
anime-scores-own = la vôtre en rouge
anime-scores-label = { $count ->
    [one] { $count } note
   *[other] { $count } notes
}. Les plus fréquentes se situent entre { $first } et { $last }.
anime-users = { $count ->
    [one] { $count } personne l’a dans sa liste.
   *[other] { $count } personnes l’ont dans leur liste.
}
anime-mean = La note moyenne est { $score }.
anime-more-titles = { $count ->
    [one] { $count } autre titre
   *[other] { $count } autres titres
}

song-opening = Opening
song-ending = Ending
song-other = Chanson
song-listen = Écouter
song-preview = Extrait

# Enumerations

format-tv = TV
format-tv-short = Série courte
format-movie = Film
format-special = Épisode spécial
format-ova = OAV
format-ona = ONA
format-music = Clip musical

release-finished = Terminé
release-releasing = En cours de diffusion
release-not-yet-released = Pas encore sorti
release-cancelled = Annulé

season-winter = Hiver
season-spring = Printemps
season-summer = Été
season-fall = Automne
season-of-year = { $season } { $year }

weekday-sunday = dimanche
weekday-monday = lundi
weekday-tuesday = mardi
weekday-wednesday = mercredi
weekday-thursday = jeudi
weekday-friday = vendredi
weekday-saturday = samedi

watch-current = En cours
watch-planning = À voir
watch-completed = Terminé
watch-dropped = Abandonné
watch-paused = En pause
watch-repeating = En revisionnage

# Languages of titles

title-language-rj = Rōmaji
title-language-af = Afrikaans
title-language-ar = Arabe
title-language-bg = Bulgare
title-language-bn = Bengali
title-language-bs = Bosnien
title-language-ca = Catalan
title-language-cs = Tchèque
title-language-da = Danois
title-language-de = Allemand
title-language-el = Grec
title-language-en = Anglais
title-language-eo = Espéranto
title-language-es = Espagnol
title-language-et = Estonien
title-language-eu = Basque
title-language-fa = Persan
title-language-fi = Finnois
title-language-fr = Français
title-language-gl = Galicien
title-language-he = Hébreu
title-language-hi = Hindi
title-language-hr = Croate
title-language-ht = Créole haïtien
title-language-hu = Hongrois
title-language-id = Indonésien
title-language-is = Islandais
title-language-it = Italien
title-language-jp = Japonais
title-language-ka = Géorgien
title-language-ko = Coréen
title-language-la = Latin
title-language-lt = Lituanien
title-language-lv = Letton
title-language-mn = Mongol
title-language-ms = Malais
title-language-my = Birman
title-language-ne = Népalais
title-language-nl = Néerlandais
title-language-no = Norvégien
title-language-pl = Polonais
title-language-pt = Portugais
title-language-ro = Roumain
title-language-ru = Russe
title-language-si = Cingalais
title-language-sk = Slovaque
title-language-sl = Slovène
title-language-sq = Albanais
title-language-sr = Serbe
title-language-sv = Suédois
title-language-ta = Tamoul
title-language-te = Télougou
title-language-th = Thaï
title-language-tl = Tagalog
title-language-tr = Turc
title-language-tt = Tatar
title-language-uk = Ukrainien
title-language-ur = Ourdou
title-language-vi = Vietnamien
title-language-zh = Chinois
title-language-other = Autre langue

# Genres

genre-action = Action
genre-adventure = Aventure
genre-boys-love = Boys Love
genre-comedy = Comédie
genre-drama = Drame
genre-ecchi = Ecchi
genre-fantasy = Fantasy
genre-girls-love = Girls Love
genre-gourmet = Gastronomie
genre-historical = Historique
genre-horror = Horreur
genre-isekai = Isekai
genre-kids = Jeunesse
genre-mahou-shoujo = Magical girl
genre-mecha = Mecha
genre-music = Musique
genre-mystery = Mystère
genre-psychological = Psychologique
genre-romance = Romance
genre-school = Vie scolaire
genre-sci-fi = Science-fiction
genre-slice-of-life = Tranche de vie
genre-space = Espace
genre-sports = Sport
genre-supernatural = Surnaturel
genre-thriller = Thriller

# Errors

api-anime-not-found = Anime introuvable
api-must-have-a-letter-or-a = doit contenir une lettre ou un chiffre
api-must-be-a-whole-number-from-0 = doit être un nombre entier de 0 à 9999
