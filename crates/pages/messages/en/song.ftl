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
song-placeholder = Title, artist or anime
song-from = Songs of “{ $text }”
song-every = All songs
song-others = Other songs of this anime
song-search-anime = Search the anime
