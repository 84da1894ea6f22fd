# Public profiles

public-statistics = Statistics
public-anime = Anime
public-episodes = Episodes watched
public-hours = Hours watched
public-score = Mean score
public-genres = Most watched genres
public-list = List
public-empty = Nothing here yet.
public-rated = Score { $score }
public-episode = Episode { $episode }

api-profile-not-found = Profile not found
