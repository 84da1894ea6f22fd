# My list

list-title = La mia lista
list-statuses = Stati
list-all = Tutti
list-filters = Cerca e filtra
list-search = Cerca nella mia lista
list-genre = Genere
list-all-genres = Tutti i generi
list-sort = Ordina
list-sort-changed = Ultima modifica
list-sort-progress = Avanzamento
list-apply = Applica
list-clear = Rimuovi i filtri
list-count = { $count ->
    [one] { $count } voce
   *[other] { $count } voci
}
list-empty = La tua lista è vuota. Trova un anime e aggiungilo, oppure importa una lista da un altro servizio.
list-import = Importa una lista
list-next = Episodio { $number }
list-edit = Modifica
list-undo = Annulla
list-done-next = segnato come visto.
list-done-undone = La modifica è stata annullata.
list-done-saved = La voce è stata salvata.
list-done-deleted = La voce è stata eliminata.
list-done-status = ora è nella tua lista come: { $status }.
quick-open = Aggiungi { $title } alla mia lista o cambia il suo stato
list-failed = Non è stato modificato nulla, perché il servizio non è raggiungibile. Riprova tra poco.
list-none = Nessuna voce corrisponde.
list-search-hint = Titolo in qualsiasi lingua
list-format = Formato
list-season = Stagione
list-year = Anno
list-any = Qualsiasi
list-score-from = Voto da
list-view = Vista
list-view-rows = Righe
list-view-compact = Compatta
list-view-covers = Copertine
list-select = Seleziona
list-select-end = Termina la selezione
list-reverse = Inverti l’ordine
list-ascending = crescente
list-descending = decrescente
list-next-column = Prossimo
list-release = Formato, stagione
list-plus = +1: episodio { $number }
list-airs-today = Ep. { $episode } oggi
list-airs-tomorrow = Ep. { $episode } domani
list-airs-on = Ep. { $episode } { $day }
list-behind = { $count ->
    [one] { $count } episodio arretrato
   *[other] { $count } episodi arretrati
}
list-left = { $count ->
    [one] ancora { $count } episodio
   *[other] ancora { $count } episodi
}

# An entry

story-status = Stato
story-episode = Episodi visti
story-episode-hint = { $count ->
    [one] È uscito { $count } episodio.
   *[other] Sono usciti { $count } episodi.
}
story-no-episodes = Il numero di episodi non è ancora noto.
story-score = Voto
story-score-hint = Da 0,1 a 100. Lascia vuoto per non dare un voto.
story-started = Data di inizio
story-finished = Data di fine
story-date-hint = Nella forma 2016-08-26, 2016-08 o 2016.
story-date-pick = Scegli una data
story-date-today = Oggi
story-no-score = Nessun voto
story-repeats = Visioni ripetute
story-notes = Note
story-private = Solo io posso vedere questa voce
story-private-short = Privato
story-cancel = Annulla
story-edit-title = Modifica la voce
story-draft = Hai effettuato l’accesso. La voce non è ancora stata salvata.
story-unknown-anime = Un anime che non è più nel catalogo
story-delete-title = Eliminare questa voce?
story-delete-question = La voce viene rimossa dalla tua lista con il voto, le date e le note. L’operazione non può essere annullata.
story-delete-linked = Se un servizio esterno collegato ha una voce per questo anime, la prossima sincronizzazione la aggiunge di nuovo. Eliminala prima lì.
story-changed-title = La voce è cambiata
story-changed = La voce è cambiata da quando hai aperto la pagina, per esempio in un’altra scheda. Non è stato salvato nulla. Questi sono i suoi valori attuali.
story-deleted-meanwhile = La voce è stata eliminata da quando hai aperto la pagina. Non è stato salvato nulla. Puoi aggiungerla di nuovo qui.
story-unsaved-notes = Le note che hai inviato e che non sono state salvate:

# Errors of the form

api-must-be-one-of-the-listed = deve essere una delle opzioni elencate
api-must-be-a-whole-number = deve essere un numero intero
api-must-be-a-number-from-0-to-100 = deve essere un numero da 0 a 100 con al massimo un decimale
api-must-be-a-date-from-1900 = deve essere una data dal 1900 in poi: AAAA, AAAA-MM o AAAA-MM-GG, per esempio 2016-08-26
api-must-have-at-most-2000-characters = deve avere al massimo 2.000 caratteri
api-must-not-have-control-characters-other = non deve contenere caratteri di controllo diversi da tabulazioni e interruzioni di riga
api-must-not-be-above-the-number = non deve superare il numero di episodi usciti
