# Songs

song-search = Rechercher une chanson ou un artiste
song-count = { $count ->
    [one] { $count } chanson
   *[other] { $count } chansons
}
song-count-of-artist = { $count ->
    [one] { $count } chanson de { $artist }
   *[other] { $count } chansons de { $artist }
}
song-all = Les { $count } chansons
song-nothing = Aucune chanson ne correspond. Essayez une autre orthographe.
song-artist = Artiste
song-album = Album
song-duration = Durée
song-placeholder = Titre, artiste ou anime
song-from = Chansons de « { $text } »
song-every = Toutes les chansons
song-others = Autres chansons de cet anime
song-search-anime = Rechercher dans les anime
