# Public profiles

public-statistics = Statistiche
public-list = Lista
public-empty = Ancora niente qui.
public-rated = Voto { $score }
public-episode = Episodio { $episode }
public-since = Tiene il registro da { $month }
public-favorites = I voti più alti
public-chosen = Preferiti
favorite-add = Aggiungi ai preferiti
favorite-remove = Togli dai preferiti
favorite-full = Hai { $count } preferiti. Togline uno per scegliere questo anime.
public-lately = Di recente
public-paused = In pausa dopo l’episodio { $episode }
public-dropped = Abbandonato dopo l’episodio { $episode }
public-repeating = Di nuovo in visione, episodio { $episode }
public-completed = Completato, voto { $score }
public-today = oggi
public-yesterday = ieri
public-change = { $what }, { $when }
public-description = { $anime ->
    [one] 1 anime completato
   *[other] { $anime } anime completati
}, { $episodes ->
    [one] 1 episodio visto
   *[other] { $episodes } episodi visti
}.

api-profile-not-found = Profilo non trovato
