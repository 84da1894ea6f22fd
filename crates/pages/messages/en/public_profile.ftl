# Public profiles

public-statistics = Statistics
public-list = List
public-empty = Nothing here yet.
public-rated = Score { $score }
public-episode = Episode { $episode }
public-since = Keeping a record since { $month }
public-favorites = Highest rated
public-chosen = Favorites
favorite-add = Add to favorites
favorite-remove = Remove from favorites
favorite-full = You have { $count } favorites. Remove one to choose this anime.
public-lately = Lately
public-paused = Paused after episode { $episode }
public-dropped = Dropped after episode { $episode }
public-repeating = Rewatching, episode { $episode }
public-completed = Completed, score { $score }
public-today = today
public-yesterday = yesterday
public-change = { $what }, { $when }
public-description = { $anime ->
    [one] 1 anime completed
   *[other] { $anime } anime completed
}, { $episodes ->
    [one] 1 episode
   *[other] { $episodes } episodes
} watched.

api-profile-not-found = Profile not found
