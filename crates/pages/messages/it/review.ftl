# The review of a year

review-title = Il { $year } in anime: { $name }
review-title-own = Il tuo { $year } in anime
review-summary = { $anime ->
    [one] 1 anime completato
   *[other] { $anime } anime completati
}, per { $episodes ->
    [one] 1 episodio
   *[other] { $episodes } episodi
} in { $hours ->
    [one] 1 ora
   *[other] { $hours } ore
}.
review-nothing = Nessun anime con una data di completamento nel { $year }.
review-hint = Un anime conta nell’anno in cui è stato completato per la prima volta, con gli episodi di quella visione. Gli anime senza data di completamento non contano in nessun anno.
review-favorites = Preferiti
review-ends = Primo e ultimo
review-first = Primo dell’anno
review-last = Ultimo dell’anno
review-finished = Completati
review-more = E altri { $count }, nella lista
review-share = Pagina da condividere
review-make-public = Rendi pubblico il tuo profilo per condividere questa pagina
review-years = Riepiloghi per anno
review-picture = Scarica come immagine
review-address = l’indirizzo della pagina da condividere
review-highest = Il voto più alto è andato a { $title }.
review-month-unknown = In un momento dell’anno
