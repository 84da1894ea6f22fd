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
