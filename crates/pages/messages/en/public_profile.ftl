# Public profiles

public-statistics = Statistics
public-list = List
public-empty = Nothing here yet.
public-rated = Score { $score }
public-episode = Episode { $episode }

api-profile-not-found = Profile not found
