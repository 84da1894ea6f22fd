# The pages at /: the home page of a signed-in user, and the landing page of visitors

home-title = Today
home-offline = Your list cannot be read at the moment. Nothing is lost. Try again in a moment.
home-empty = Your list is empty
home-empty-lead = Anime that you are watching appear here, with the next episode and the day it airs.
home-welcome = Bring your list along, or begin a new one
home-continue = Continue
home-nothing = Nothing is in progress. Anime that you are watching appear here.
home-all-current = All { $count }
home-plus = +1: watched episode { $number } of { $title }
home-week-title = Airing in the next seven days
home-week = { $count ->
    [one] episode in seven days
   *[other] episodes in seven days
}
home-completed = { $count ->
   *[other] completed
}
home-listed = { $count ->
   *[other] on the list
}
home-airing = On air
home-calendar = The week
home-tomorrow = Tomorrow
home-next = What to watch next
home-sequel = The sequel of { $title }
home-planned = You plan to watch it, and it is airing now
home-because = Because you finished { $title }
home-season-all = The season
home-best = Top rated
home-best-all = All anime
landing-title = Write down what you have watched.
landing-lead = A quiet record of every anime: episodes, scores, songs and notes. Yours to keep, to export and to share, with no advertising and nothing that follows you.
landing-begin = Start a record
landing-browse = Look around
landing-import = Bring a list from AniList or MyAnimeList
landing-tally = One stroke per episode
landing-tally-lead = An entry shows the next episode. Press +1, and the tally grows. Entries look like this:
landing-week = The week
landing-week-lead = The calendar shows what airs among the anime you watch, and the episodes you still have to catch up on. Airing now:
landing-year = A year worth keeping
landing-year-lead = Each anime you finish takes its place on the wall of its year, which you can share as a picture.
