statistics-title = Vos statistiques
statistics-as-of = Au { $time }. Les anime à voir ne comptent que dans le premier graphique.
statistics-empty = Votre liste est vide. Les statistiques commencent avec le premier anime que vous ajoutez.
statistics-numbers = Chiffres
statistics-anime = Anime
statistics-hours = Heures
statistics-mean-score = Note moyenne
statistics-month = Mois
statistics-by-status = Par statut
statistics-by-score = Par note
statistics-by-genre = Par genre
statistics-by-format = Par format
statistics-by-year = Par année de sortie
statistics-by-month = Par mois de fin
statistics-days-watched = Jours
statistics-average = Moyenne
statistics-review = L’année { $year }
statistics-scores-note = plein : vos notes ; contour : notes moyennes des mêmes anime
statistics-disagreements = Vos désaccords
statistics-disagreements-note = votre note / note moyenne
statistics-higher = { $points } au-dessus de la moyenne
statistics-lower = { $points } en dessous de la moyenne
statistics-days = Les 365 derniers jours
statistics-days-note = { $anime ->
    [one] { $anime } anime terminé
   *[other] { $anime } anime terminés
} ; le plus en un jour : { $most }, le { $day }
statistics-short-month = { $month ->
    [1] janv.
    [2] févr.
    [3] mars
    [4] avr.
    [5] mai
    [6] juin
    [7] juil.
    [8] août
    [9] sept.
    [10] oct.
    [11] nov.
   *[12] déc.
}
