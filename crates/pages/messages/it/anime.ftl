# Start page

start-anime-count = { $count } anime
start-song-count = { $count ->
    [one] 1 canzone
   *[other] { $count } canzoni
}

# One anime

anime-untitled = Anime { $id }
anime-episode-count = { $count ->
    [one] 1 episodio
   *[other] { $count } episodi
}
anime-sign-in = Accedi per aggiungerlo alla tua lista
anime-description = Descrizione
anime-no-description = Il catalogo non ha ancora una descrizione.
anime-facts = Informazioni
anime-episodes = Episodi
anime-duration = Durata di un episodio
anime-start = Prima messa in onda
anime-end = Ultima messa in onda
anime-weekday = In onda di
anime-season = Stagione
anime-rating = Pubblico
anime-adult = Per adulti
anime-studios = Studi
anime-tags = Parole chiave
anime-synonyms = Altri titoli
anime-titles = Titoli
anime-title-count = In { $count } lingue
anime-story-line = Filo della storia
anime-before = Quello che viene prima
anime-after = Quello che viene dopo
anime-songs = Canzoni
anime-more-songs = E { $count ->
    [one] un’altra canzone
   *[other] altre { $count } canzoni
}
anime-links = Altrove
anime-trailer = Trailer
anime-similar = Potrebbe piacerti anche

song-opening = Sigla iniziale
song-ending = Sigla finale
song-other = Canzone
song-listen = Ascolta
song-preview = Anteprima

# Enumerations

format-tv = Serie TV
format-tv-short = Serie breve
format-movie = Film
format-special = Speciale
format-ova = OAV
format-ona = ONA
format-music = Video musicale

release-finished = Concluso
release-releasing = In corso
release-not-yet-released = Non ancora uscito
release-cancelled = Annullato

season-winter = Inverno
season-spring = Primavera
season-summer = Estate
season-fall = Autunno
season-of-year = { $season } { $year }

weekday-sunday = domenica
weekday-monday = lunedì
weekday-tuesday = martedì
weekday-wednesday = mercoledì
weekday-thursday = giovedì
weekday-friday = venerdì
weekday-saturday = sabato

watch-current = In visione
watch-planning = Da vedere
watch-completed = Completato
watch-dropped = Abbandonato
watch-paused = In pausa
watch-repeating = Di nuovo in visione

# Genres

genre-action = Azione
genre-adventure = Avventura
genre-boys-love = Boys Love
genre-comedy = Commedia
genre-drama = Drammatico
genre-ecchi = Ecchi
genre-fantasy = Fantasy
genre-girls-love = Girls Love
genre-gourmet = Cucina
genre-historical = Storico
genre-horror = Horror
genre-isekai = Isekai
genre-kids = Per bambini
genre-mahou-shoujo = Maghette
genre-mecha = Mecha
genre-music = Musica
genre-mystery = Mistero
genre-psychological = Psicologico
genre-romance = Sentimentale
genre-school = Scolastico
genre-sci-fi = Fantascienza
genre-slice-of-life = Vita quotidiana
genre-space = Spazio
genre-sports = Sport
genre-supernatural = Soprannaturale
genre-thriller = Thriller

# Errors

api-anime-not-found = Anime non trovato
api-must-have-a-letter-or-a = deve contenere una lettera o una cifra
api-must-be-a-whole-number-from-0 = deve essere un numero intero da 0 a 9999
