# Start page

start-anime-count = { $count } anime
start-song-count = { $count ->
    [one] 1 song
   *[other] { $count } songs
}

# One anime

anime-untitled = Anime { $id }
anime-episode-count = { $count ->
    [one] 1 episode
   *[other] { $count } episodes
}
anime-sign-in = Sign in to add it to your list
anime-description = Description
anime-no-description = The catalogue has no description yet.
anime-facts = Facts
anime-episodes = Episodes
anime-duration = Episode length
anime-start = First aired
anime-end = Last aired
anime-weekday = Airs on
anime-season = Season
anime-rating = Rating
anime-adult = For adults
anime-studios = Studios
anime-tags = Tags
anime-synonyms = Other titles
anime-titles = Titles
anime-title-count = In { $count } languages
anime-story-line = Story line
anime-before = What came before
anime-after = What comes next
anime-songs = Songs
anime-more-songs = And { $count ->
    [one] 1 more song
   *[other] { $count } more songs
}
anime-links = Elsewhere
anime-trailer = Trailer
anime-similar = You may also like

song-opening = Opening
song-ending = Ending
song-other = Song
song-listen = Listen
song-preview = Preview

# Enumerations

format-tv = TV
format-tv-short = TV short
format-movie = Movie
format-special = Special
format-ova = OVA
format-ona = ONA
format-music = Music

release-finished = Finished
release-releasing = Airing
release-not-yet-released = Not yet released
release-cancelled = Cancelled

season-winter = Winter
season-spring = Spring
season-summer = Summer
season-fall = Fall
season-of-year = { $season } { $year }

weekday-sunday = Sunday
weekday-monday = Monday
weekday-tuesday = Tuesday
weekday-wednesday = Wednesday
weekday-thursday = Thursday
weekday-friday = Friday
weekday-saturday = Saturday

watch-current = Watching
watch-planning = Planned
watch-completed = Completed
watch-dropped = Dropped
watch-paused = Paused
watch-repeating = Rewatching

# Genres

genre-action = Action
genre-adventure = Adventure
genre-boys-love = Boys Love
genre-comedy = Comedy
genre-drama = Drama
genre-ecchi = Ecchi
genre-fantasy = Fantasy
genre-girls-love = Girls Love
genre-gourmet = Gourmet
genre-historical = Historical
genre-horror = Horror
genre-isekai = Isekai
genre-kids = Kids
genre-mahou-shoujo = Mahou Shoujo
genre-mecha = Mecha
genre-music = Music
genre-mystery = Mystery
genre-psychological = Psychological
genre-romance = Romance
genre-school = School
genre-sci-fi = Science fiction
genre-slice-of-life = Slice of life
genre-space = Space
genre-sports = Sports
genre-supernatural = Supernatural
genre-thriller = Thriller

# Errors

api-anime-not-found = Anime not found
api-must-have-a-letter-or-a = must have a letter or a digit
api-must-be-a-whole-number-from-0 = must be a whole number from 0 to 9999
