# Public profiles

public-statistics = Statistiques
public-list = Liste
public-empty = Rien pour l’instant.
public-rated = Note { $score }
public-episode = Épisode { $episode }
public-since = Tient son carnet depuis { $month }
public-favorites = Les mieux notés
public-chosen = Favoris
favorite-add = Ajouter aux favoris
favorite-remove = Retirer des favoris
favorite-full = Vous avez { $count } favoris. Retirez-en un pour choisir cet anime.
public-lately = Récemment
public-paused = En pause après l’épisode { $episode }
public-dropped = Abandonné après l’épisode { $episode }
public-repeating = En revisionnage, épisode { $episode }
public-completed = Terminé, note { $score }
public-today = aujourd’hui
public-yesterday = hier
public-change = { $what }, { $when }
public-description = { $anime ->
    [one] { $anime } anime terminé
   *[other] { $anime } anime terminés
}, { $episodes ->
    [one] { $episodes } épisode vu
   *[other] { $episodes } épisodes vus
}.

api-profile-not-found = Profil introuvable
