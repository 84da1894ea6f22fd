# Public profiles

public-statistics = Statistiche
public-list = Lista
public-empty = Ancora niente qui.
public-rated = Voto { $score }
public-episode = Episodio { $episode }

api-profile-not-found = Profilo non trovato
