# Songs

song-search = Cerca canzoni e artisti
song-count = { $count ->
    [one] 1 canzone
   *[other] { $count } canzoni
}
song-count-of-artist = { $count ->
    [one] 1 canzone di { $artist }
   *[other] { $count } canzoni di { $artist }
}
song-all = Tutte le { $count } canzoni
song-nothing = Nessuna canzone corrisponde. Prova un’altra grafia.
song-artist = Artista
song-album = Album
song-duration = Durata
song-placeholder = Titolo, artista o anime
song-from = Canzoni di “{ $text }”
song-every = Tutte le canzoni
song-others = Altre canzoni di questo anime
song-search-anime = Cerca tra gli anime
