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
anime-episodes = Episodes
anime-season = Season
anime-adult = For adults
anime-studios = Studios
anime-tags = Tags
anime-synonyms = Other titles
anime-titles = Titles
anime-songs = Songs
anime-more-songs = And { $count ->
    [one] 1 more song
   *[other] { $count } more songs
}
anime-links = Elsewhere
anime-trailer = Trailer
anime-similar = You may also like
anime-minutes = { $count } min
anime-episodes-of = { $count ->
    [one] 1 episode of { $minutes } min
   *[other] { $count } episodes of { $minutes } min
}
anime-since = from { $date }
anime-scored = scored { $score }
anime-watched = Watched episode { $number }
anime-watched-once = I have watched it
anime-episode-less = One episode less
anime-add-note = Add a note
anime-invitation = Keep it on your list, with your progress, score and notes.
anime-order = Watch in this order
anime-order-dashed = dashed: specials and short works
anime-order-here = You are here
anime-order-earlier = Earlier works come before these.
anime-order-later = Later works follow these.
anime-next = Next episode
anime-next-day = { $weekday }, { $date }
anime-next-utc = This is the day in UTC. The time is not known.
anime-in-days = { $count ->
    [0] today
    [1] tomorrow
   *[other] in { $count } days
}
anime-trailer-play = Play the trailer (YouTube)
anime-trailer-watch = Watch the trailer
anime-lists = On Kiroku lists
anime-scores = Scores on Kiroku
anime-scores-own = yours in red
anime-scores-label = { $count ->
    [one] 1 score
   *[other] { $count } scores
}. The most common are between { $first } and { $last }.
anime-users = { $count ->
    [one] 1 user has it on a list.
   *[other] { $count } users have it on their lists.
}
anime-mean = The average score is { $score }.
anime-more-titles = { $count ->
    [one] 1 more title
   *[other] { $count } more titles
}

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

# Languages of titles

title-language-rj = Romaji
title-language-af = Afrikaans
title-language-ar = Arabic
title-language-bg = Bulgarian
title-language-bn = Bengali
title-language-bs = Bosnian
title-language-ca = Catalan
title-language-cs = Czech
title-language-da = Danish
title-language-de = German
title-language-el = Greek
title-language-en = English
title-language-eo = Esperanto
title-language-es = Spanish
title-language-et = Estonian
title-language-eu = Basque
title-language-fa = Persian
title-language-fi = Finnish
title-language-fr = French
title-language-gl = Galician
title-language-he = Hebrew
title-language-hi = Hindi
title-language-hr = Croatian
title-language-ht = Haitian Creole
title-language-hu = Hungarian
title-language-id = Indonesian
title-language-is = Icelandic
title-language-it = Italian
title-language-jp = Japanese
title-language-ka = Georgian
title-language-ko = Korean
title-language-la = Latin
title-language-lt = Lithuanian
title-language-lv = Latvian
title-language-mn = Mongolian
title-language-ms = Malay
title-language-my = Burmese
title-language-ne = Nepali
title-language-nl = Dutch
title-language-no = Norwegian
title-language-pl = Polish
title-language-pt = Portuguese
title-language-ro = Romanian
title-language-ru = Russian
title-language-si = Sinhala
title-language-sk = Slovak
title-language-sl = Slovenian
title-language-sq = Albanian
title-language-sr = Serbian
title-language-sv = Swedish
title-language-ta = Tamil
title-language-te = Telugu
title-language-th = Thai
title-language-tl = Tagalog
title-language-tr = Turkish
title-language-tt = Tatar
title-language-uk = Ukrainian
title-language-ur = Urdu
title-language-vi = Vietnamese
title-language-zh = Chinese
title-language-other = Another language

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
genre-mahou-shoujo = Mahou shoujo
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
