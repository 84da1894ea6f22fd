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
anime-episodes = Episodi
anime-season = Stagione
anime-adult = Per adulti
anime-studios = Studi
anime-tags = Parole chiave
anime-synonyms = Altri titoli
anime-titles = Titoli
anime-songs = Canzoni
anime-more-songs = E { $count ->
    [one] un’altra canzone
   *[other] altre { $count } canzoni
}
anime-links = Altrove
anime-trailer = Trailer
anime-similar = Potrebbe piacerti anche
anime-minutes = { $count } min
anime-episodes-of = { $count ->
    [one] { $count } episodio da { $minutes } min
   *[other] { $count } episodi da { $minutes } min
}
anime-since = inizio: { $date }
anime-scored = voto { $score }
anime-watched = Visto l’episodio { $number }
anime-watched-once = L’ho visto
anime-episode-less = Un episodio in meno
anime-add-note = Aggiungi una nota
anime-invitation = Tienilo nella tua lista, con i tuoi progressi, il tuo voto e le tue note.
anime-order = Ordine di visione
anime-order-dashed = tratteggiati: speciali e opere brevi
anime-order-here = Sei qui
anime-order-earlier = Prima di queste ci sono altre opere.
anime-order-later = Dopo queste ci sono altre opere.
anime-next = Prossimo episodio
anime-next-day = { $weekday } { $date }
anime-next-utc = È il giorno in UTC. L’ora non è nota.
anime-in-days = { $count ->
    [0] oggi
    [1] domani
   *[other] tra { $count } giorni
}
anime-trailer-play = Riproduci il trailer (YouTube)
anime-trailer-watch = Guarda il trailer
anime-lists = Nelle liste di Kiroku
anime-scores = Voti su Kiroku
anime-scores-own = il tuo in rosso
anime-scores-label = { $count ->
    [one] { $count } voto
   *[other] { $count } voti
}. I più frequenti sono tra { $first } e { $last }.
anime-users = { $count ->
    [one] { $count } persona ce l’ha in lista.
   *[other] { $count } persone ce l’hanno in lista.
}
anime-mean = Il voto medio è { $score }.
anime-more-titles = { $count ->
    [one] { $count } altro titolo
   *[other] altri { $count } titoli
}

song-opening = Sigla iniziale
song-ending = Sigla finale
song-other = Canzone
song-listen = Ascolta
song-preview = Anteprima

# Enumerations

format-tv = TV
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

# Languages of titles

title-language-rj = Rōmaji
title-language-af = Afrikaans
title-language-ar = Arabo
title-language-bg = Bulgaro
title-language-bn = Bengalese
title-language-bs = Bosniaco
title-language-ca = Catalano
title-language-cs = Ceco
title-language-da = Danese
title-language-de = Tedesco
title-language-el = Greco
title-language-en = Inglese
title-language-eo = Esperanto
title-language-es = Spagnolo
title-language-et = Estone
title-language-eu = Basco
title-language-fa = Persiano
title-language-fi = Finlandese
title-language-fr = Francese
title-language-gl = Galiziano
title-language-he = Ebraico
title-language-hi = Hindi
title-language-hr = Croato
title-language-ht = Creolo haitiano
title-language-hu = Ungherese
title-language-id = Indonesiano
title-language-is = Islandese
title-language-it = Italiano
title-language-jp = Giapponese
title-language-ka = Georgiano
title-language-ko = Coreano
title-language-la = Latino
title-language-lt = Lituano
title-language-lv = Lettone
title-language-mn = Mongolo
title-language-ms = Malese
title-language-my = Birmano
title-language-ne = Nepalese
title-language-nl = Olandese
title-language-no = Norvegese
title-language-pl = Polacco
title-language-pt = Portoghese
title-language-ro = Rumeno
title-language-ru = Russo
title-language-si = Singalese
title-language-sk = Slovacco
title-language-sl = Sloveno
title-language-sq = Albanese
title-language-sr = Serbo
title-language-sv = Svedese
title-language-ta = Tamil
title-language-te = Telugu
title-language-th = Thailandese
title-language-tl = Tagalog
title-language-tr = Turco
title-language-tt = Tataro
title-language-uk = Ucraino
title-language-ur = Urdu
title-language-vi = Vietnamita
title-language-zh = Cinese
title-language-other = Altra lingua

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
