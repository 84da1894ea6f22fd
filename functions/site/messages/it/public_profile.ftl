# Public profiles

public-statistics = Statistiche
public-anime = Anime
public-episodes = Episodi visti
public-hours = Ore di visione
public-score = Voto medio
public-genres = Generi più visti
public-list = Lista
public-empty = Ancora niente qui.
public-rated = Voto { $score }
public-episode = Episodio { $episode }

api-profile-not-found = Profilo non trovato
