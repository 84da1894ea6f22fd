# Public profiles

public-statistics = Statistiques
public-anime = Anime
public-episodes = Épisodes vus
public-hours = Heures de visionnage
public-score = Note moyenne
public-genres = Genres les plus regardés
public-list = Liste
public-empty = Rien pour l’instant.
public-rated = Note { $score }
public-episode = Épisode { $episode }

api-profile-not-found = Profil introuvable
