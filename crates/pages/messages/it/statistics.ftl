statistics-title = Le tue statistiche
statistics-as-of = Aggiornate al { $time }. Gli anime da vedere contano solo nel primo grafico.
statistics-empty = La tua lista è vuota. Le statistiche iniziano con il primo anime che aggiungi.
statistics-numbers = Numeri
statistics-anime = Anime
statistics-hours = Ore
statistics-mean-score = Voto medio
statistics-month = Mese
statistics-by-status = Per stato
statistics-by-score = Per voto
statistics-by-genre = Per genere
statistics-by-format = Per formato
statistics-by-year = Per anno di uscita
statistics-by-month = Per mese di completamento
statistics-days-watched = Giorni
statistics-average = Media
statistics-review = L’anno { $year }
statistics-scores-note = pieno: i tuoi; contorno: i voti medi degli stessi anime
statistics-disagreements = Dove la pensi diversamente
statistics-disagreements-note = il tuo voto / voto medio
statistics-higher = { $points } sopra la media
statistics-lower = { $points } sotto la media
statistics-days = Gli ultimi 365 giorni
statistics-days-note = { $anime ->
    [one] { $anime } anime completato
   *[other] { $anime } anime completati
}; il massimo in un giorno: { $most } ({ $day })
statistics-short-month = { $month ->
    [1] gen
    [2] feb
    [3] mar
    [4] apr
    [5] mag
    [6] giu
    [7] lug
    [8] ago
    [9] set
    [10] ott
    [11] nov
   *[12] dic
}
