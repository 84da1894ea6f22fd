# The selection of entries of a list

selection-title = Modifica le voci selezionate
selection-selected = nella selezione
selection-keep = Non cambiare
selection-score-hint = Lascia vuoto per mantenere i voti. 0 li rimuove.
selection-private = Visibilità
selection-make-private = Visibile solo a me
selection-make-public = Come il mio profilo
selection-apply = Applica
selection-remove = Rimuovi dalla lista…
selection-all = Seleziona tutto in questa pagina
selection-back = Torna alla lista
selection-done-changed = { $count ->
    [0] Nessuna voce è stata modificata.
    [one] 1 voce è stata modificata.
   *[other] { $count } voci sono state modificate.
}
selection-done-deleted = { $count ->
    [0] Nessuna voce è stata eliminata.
    [one] 1 voce è stata eliminata.
   *[other] { $count } voci sono state eliminate.
}
selection-done-undone = { $count ->
    [0] Non c’è più nulla da annullare.
    [one] 1 voce è stata ripristinata.
   *[other] { $count } voci sono state ripristinate.
}
selection-skipped-title = Alcune voci restano invariate
selection-skipped = { $count ->
    [one] 1 voce è stata saltata:
   *[other] { $count } voci sono state saltate:
}
selection-changed-meanwhile = è cambiato da quando hai aperto la lista, per esempio in un’altra scheda.
selection-changed-since = è cambiato nel frattempo. Le modifiche successive restano.
selection-not-on-list = non è nella tua lista.
selection-not-in-catalogue = può essere solo eliminato.
selection-delete-title = Eliminare queste voci?
selection-delete-question = { $count ->
    [one] 1 voce viene rimossa dalla tua lista con il voto, le date e le note. Puoi annullare l’operazione nella pagina successiva.
   *[other] { $count } voci vengono rimosse dalla tua lista con i voti, le date e le note. Puoi annullare l’operazione nella pagina successiva.
}
selection-delete-linked = Se un servizio esterno collegato ha voci per questi anime, la prossima sincronizzazione le aggiunge di nuovo. Eliminale prima lì.
selection-invalid-title = Non è stato modificato nulla
selection-invalid = Il modulo non è valido. Torna indietro e ricarica la pagina.
selection-none = Torna indietro e seleziona almeno una voce.
selection-too-many = Puoi selezionare al massimo { $count } voci alla volta. Torna indietro e selezionane di meno.
selection-no-change = Torna indietro e scegli uno stato, un voto o una visibilità per le voci selezionate.

# Views and orders

list-sort-started = Data di inizio
list-sort-finished = Data di fine
list-sort-airing = Giorno di trasmissione

# Keyboard shortcuts

shortcuts-title = Scorciatoie da tastiera
shortcuts-where = I tasti funzionano quando una voce della lista, o un suo comando, è attiva.
shortcuts-next = Voce successiva
shortcuts-previous = Voce precedente
shortcuts-episode = Segna come visto l’episodio successivo
shortcuts-select = Seleziona la voce
shortcuts-search = Cerca anime e canzoni
shortcuts-help = Mostra questo aiuto
shortcuts-close = Chiudi
