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
anime-facts = Informations
anime-episodes = Épisodes
anime-duration = Durée d’un épisode
anime-start = Première diffusion
anime-end = Dernière diffusion
anime-weekday = Jour de diffusion
anime-season = Saison
anime-rating = Public
anime-adult = Pour adultes
anime-studios = Studios
anime-tags = Mots-clés
anime-synonyms = Autres titres
anime-titles = Titres
anime-title-count = En { $count } langues
anime-story-line = Fil de l’histoire
anime-before = Ce qui précède
anime-after = Ce qui suit
anime-songs = Chansons
anime-more-songs = Et { $count ->
    [one] { $count } autre chanson
   *[other] { $count } autres chansons
}
anime-links = Ailleurs
anime-trailer = Bande-annonce
anime-similar = Vous aimerez peut-être

song-opening = Opening
song-ending = Ending
song-other = Chanson
song-listen = Écouter
song-preview = Extrait

# Enumerations

format-tv = Série TV
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
