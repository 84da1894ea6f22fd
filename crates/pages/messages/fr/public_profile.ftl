# Public profiles

public-statistics = Statistiques
public-list = Liste
public-empty = Rien pour l’instant.
public-rated = Note { $score }
public-episode = Épisode { $episode }

api-profile-not-found = Profil introuvable
