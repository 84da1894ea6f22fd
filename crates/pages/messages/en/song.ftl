# Songs

song-search = Search songs and artists
song-count = { $count ->
    [one] 1 song
   *[other] { $count } songs
}
song-count-of-artist = { $count ->
    [one] 1 song by { $artist }
   *[other] { $count } songs by { $artist }
}
song-all = All { $count } songs
song-nothing = No song matches. Try another spelling.
song-artist = Artist
song-album = Album
song-duration = Length
