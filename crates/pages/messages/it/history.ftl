# Import and export

history-title = Importa ed esporta
history-import = Importa
history-import-explanation = Scegli una lista esportata da MyAnimeList, AniList, Kitsu, Simkl, Trakt, TV Time, Anime-Planet, Kiroku o un altro servizio, un foglio di calcolo salvato come CSV, oppure un file con ciò che hai visto in Jellyfin, Plex o Emby.
history-file = File della lista
history-file-hint = Al massimo 4 MB e 20.000 voci. Scegli il file così come l’hai scaricato, anche un archivio ZIP o un file compresso con gzip (.gz).
history-mode = Voci che hai già qui
history-mode-merge = Unisci: i tuoi progressi non diminuiscono mai e i campi vuoti vengono completati dal file
history-mode-keep = Mantieni: restano come sono
history-mode-replace = Sostituisci: diventano come nel file, anche se qui sei più avanti
history-scale = Scala dei voti
history-scale-hint = Serve solo se il file non la indica, come l’esportazione dell’account di AniList o un foglio di calcolo.
history-scale-file = Quella del file
history-scale-3 = da 1 a 3
history-scale-5 = da 1 a 5
history-scale-10 = da 1 a 10
history-scale-100 = da 1 a 100
history-account = Account
history-account-hint = Serve solo per una cronologia di Plex con più account: il numero dopo accountID.
history-preview = Anteprima
history-preview-hint = Un’anteprima mostra che cosa farebbe l’importazione. Non cambia nulla.
history-imports = Importazioni recenti e annullamento
history-export = Esporta
history-export-explanation = Scarica la tua cronologia come file:
history-format-xml = XML di MyAnimeList
history-format-xml-hint = Per MyAnimeList e tutti i servizi che importano le sue liste. Le voci private e gli anime che MyAnimeList non ha sono esclusi.
history-format-csv = CSV
history-format-csv-hint = Per i fogli di calcolo.
history-format-json = JSON
history-format-json-hint = Contiene tutto: per un backup o per un altro server Kiroku.
history-back = Torna a importazione ed esportazione

# Report of an import

report-preview = Anteprima dell’importazione
report-preview-done = Non è ancora cambiato nulla. Ecco che cosa farebbe l’importazione.
report-import = Importazione completata
report-import-done = La tua cronologia è stata importata.
report-import-nothing = Il file non contiene nulla che cambi la tua cronologia.
report-import-waits = La tua cronologia non è ancora cambiata, perché alcune voci del file sono in attesa: vedi sotto.
report-undo = Annulla
report-undo-explanation = Puoi annullare questa importazione entro 7 giorni. Le modifiche che fai nel frattempo restano.
report-choose-again = Il file è troppo grande per essere conservato in questa pagina. Per importarlo, sceglilo di nuovo.
report-kept = Il file è conservato in questa pagina, quindi non devi sceglierlo di nuovo. Puoi anche cambiare il modo di importarlo e vedere una nuova anteprima.
report-title = Titolo
report-status = Stato
report-progress = Episodi
report-score = Voto
report-entries = Voci
report-file = { $count ->
    [one] Il file è in formato { $format } e contiene { $count } voce:
   *[other] Il file è in formato { $format } e contiene { $count } voci:
}
report-count-new = { $count ->
    [one] nuova
   *[other] nuove
}
report-count-changed = { $count ->
    [one] modificata
   *[other] modificate
}
report-count-unchanged = { $count ->
    [one] invariata
   *[other] invariate
}
report-count-repeated = { $count ->
    [one] ripetuta nel file
   *[other] ripetute nel file
}
report-count-skipped = { $count ->
    [one] saltata
   *[other] saltate
}
report-count-waiting = { $count ->
    [one] non nel catalogo
   *[other] non nel catalogo
}
report-count-proposals = { $count ->
    [one] in attesa della tua risposta
   *[other] in attesa della tua risposta
}
report-proposals = In attesa della tua risposta
report-proposals-hint = Solo un titolo indica questi anime, oppure il file si contraddice. Vengono aggiunti quando li confermi.
report-unknown-fields = Questi campi del file non vengono importati: { $names }.
report-unreadable-values = Valori illeggibili, esclusi dalle loro voci: { $names }.
report-skipped = Saltate
report-skipped-hint = Queste voci non possono essere usate.
report-skipped-entry = Voce { $position }: { $reason }
report-waiting = Non nel catalogo
report-waiting-hint = Kiroku non conosce ancora questi anime. Le voci con un identificativo di AniList o MyAnimeList vengono conservate per un anno e aggiunte quando il loro anime appare.
report-changed = Modificate
report-new = Nuove
report-more = E altre { $count }.
report-entry = Voce { $position }
report-separator = {", "}
report-field-status = stato
report-field-episode = episodio
report-field-position = posizione nell’episodio
report-field-score = voto
report-field-start = data di inizio
report-field-end = data di fine
report-field-repeats = visioni ripetute
report-field-notes = note
report-field-privacy = privacy

# Recent imports

imports-title = Importazioni recenti
imports-explanation = Puoi annullare un’importazione entro 7 giorni. Le voci aggiunte vengono eliminate e quelle modificate riprendono i valori precedenti. Le modifiche che hai fatto dopo restano.
imports-none = Non hai importato nulla negli ultimi 7 giorni.
imports-undo = Annulla questa importazione
imports-undo-question = Annullare questa importazione?
imports-undo-deletes = { $count ->
    [one] 1 voce aggiunta viene eliminata dalla tua lista.
   *[other] { $count } voci aggiunte vengono eliminate dalla tua lista.
}
imports-undo-restores = { $count ->
    [one] 1 voce modificata riprende i valori precedenti.
   *[other] { $count } voci modificate riprendono i valori precedenti.
}
imports-undo-forgets = { $count ->
    [one] 1 voce non attende più il suo anime o la tua risposta.
   *[other] { $count } voci non attendono più il loro anime o la tua risposta.
}
imports-undo-stays = Le modifiche che hai fatto dopo restano. Potrai importare di nuovo il file più tardi.
imports-keep = Mantieni l’importazione
imports-heading = Importazione del { $time }
imports-counts = Ha aggiunto { $added ->
    [one] 1 voce
   *[other] { $added } voci
} e modificato { $changed ->
    [one] 1 voce
   *[other] { $changed } voci
} che hai ancora.
imports-waiting = { $count ->
    [one] 1 voce attende il suo anime.
   *[other] { $count } voci attendono il loro anime.
}
imports-undone = L’importazione è stata annullata: { $restored ->
    [one] 1 voce ripristinata
   *[other] { $restored } voci ripristinate
}, { $deleted ->
    [one] 1 voce eliminata
   *[other] { $deleted } voci eliminate
}.
imports-forgotten = { $count ->
    [one] 1 voce non attende più il suo anime o la tua risposta.
   *[other] { $count } voci non attendono più il loro anime o la tua risposta.
}
imports-kept = In seguito hai modificato { $count ->
    [one] 1 voce
   *[other] { $count } voci
}. Queste modifiche restano.

# Texts of the API

api-must-have-at-most-4-mb = al massimo 4 MB; comprimi con gzip un file più grande
api-the-form-is-incomplete-or-malformed = Il modulo è incompleto o non valido. Torna indietro, ricarica la pagina e invialo di nuovo.
api-the-form-must-have-each-field = Il modulo deve contenere ogni campo una sola volta.
api-list-files-on-this-page-are = In questa pagina i file delle liste possono avere al massimo 4 MB. Comprimi con gzip un file più grande.
api-must-be-one-of-mal-xml = scegli mal_xml, csv o json
api-the-file-is-empty = Il file è vuoto.
api-the-file-is-longer-than-64 = Il file supera i 64 MB.
api-the-file-is-longer-than-64-mb = Una volta decompresso, il file supera i 64 MB.
api-the-file-is-damaged-or-incomplete = Il file è danneggiato o incompleto: gzip non riesce a decomprimerlo.
api-the-file-has-more-than-20 = Il file ha più di 20.000 voci. Dividilo in più file.
api-the-file-is-a-list-of = Il file è una lista di manga. Si possono importare solo liste di anime.
api-the-xml-has-a-document-type = L’XML ha una definizione del tipo di documento (DTD), che le liste di anime non hanno mai.
api-the-xml-has-more-than-1 = L’XML ha più di 1.000.000 di elementi.
api-the-xml-is-nested-too-deeply = L’XML è annidato troppo in profondità.
api-the-xml-is-invalid-or-ends = L’XML non è valido o finisce troppo presto, vicino alla riga { $n1 }.
api-the-json-is-an-export-of-this = Il JSON è un’esportazione di questo servizio, ma non della versione 1.
api-the-json-is-invalid-or-ends = Il JSON non è valido o finisce troppo presto alla riga { $n1 }, colonna { $n2 }.
api-line-n-of-the-csv-has = La riga { $n1 } del CSV ha più di 1.000 celle.
api-the-csv-has-a-cell-without = Il CSV ha una cella senza virgolette di chiusura nella riga che inizia alla linea { $n1 }.
api-the-file-does-not-state-the = Il file non indica la scala dei voti. Sono stati letti da { $n1 } a { $n2 }, perché il più alto è { $n3 }.
api-the-scores-were-read-as-n = I voti sono stati letti da { $n1 } a { $n2 }.
api-notes-that-were-cut-after-n = Note tagliate dopo 2.000 caratteri: { $n2 }.
api-times-that-could-not-be-read = Orari illeggibili e ignorati: { $n1 }.
api-manga-that-were-left-out-n = Manga esclusi: { $n1 }.
api-entries-that-are-not-kept-until = Voci non conservate fino alla comparsa del loro anime, perché senza identificativo di AniList o MyAnimeList: { $n1 }.
api-entries-that-are-not-kept-because = Voci non conservate, perché si conservano al massimo 5.000 voci e { $n2 } KB per utente: { $n3 }.
api-no-anime-was-found = nessun anime trovato
api-the-file-states-no-status-and = il file non indica uno stato e l’anime non è nella lista
api-the-series-has-several-anime-so = la serie comprende più anime, quindi contano solo gli episodi visti
api-the-title-the-year-or-the = il titolo, l’anno o il tipo non è quello dell’anime con questo identificativo; elementi: { $n1 }
api-season-n-the-title-the-year = stagione { $n1 }: il titolo, l’anno o il tipo non è quello dell’anime con questo identificativo; elementi: { $n2 }
api-the-file-has-episode-n-but = il file indica l’episodio { $n1 }, ma l’anime ha { $n2 } episodi
api-the-file-is-an-answer-of = Il file è una risposta di Plex in XML. Chiedi a Plex il JSON, con l’intestazione Accept: application/json.
api-must-be-the-number-of-an = deve essere il numero di un account
api-the-history-of-plex-has-several = La cronologia di Plex ha più account: { $text }. Scegline uno con il parametro account.
api-the-history-of-plex-has-no = La cronologia di Plex non ha l’account { $n1 }, ma questi: { $text }.
api-an-answer-of-jellyfin-emby-or = Una risposta di Jellyfin, Emby o Plex deve avere i suoi elementi nell’array Items, o nell’array Metadata di MediaContainer.
api-watched-episodes-and-movies-in-the = Episodi e film visti nel file: { $n1 }.
api-items-that-were-left-out-because = Elementi esclusi, perché non sono stati visti o non sono né episodi né film: { $n1 }.
api-no-anime-was-found-items-n = nessun anime trovato; elementi: { $n1 }
api-season-n-no-anime-was-found = stagione { $n1 }: nessun anime trovato; elementi: { $n2 }
api-the-anime-is-not-certain-items = l’anime non è certo; elementi: { $n1 }
api-season-n-the-anime-is-not = stagione { $n1 }: l’anime non è certo; elementi: { $n2 }
api-marked-as-no-anime-items-n = contrassegnato come non anime; elementi: { $n1 }
api-season-n-marked-as-no-anime = stagione { $n1 }: contrassegnato come non anime; elementi: { $n2 }
api-the-file-names-no-episode-items = il file non indica alcun episodio; elementi: { $n1 }
api-is-not-a-valid-json-object = non è un oggetto JSON valido; elementi: { $n1 }
api-season-is-missing-or-wrong-items = la stagione manca o è errata; elementi: { $n1 }
api-episode-is-missing-or-wrong-items = l’episodio manca o è errato; elementi: { $n1 }
api-title-is-missing-or-wrong-items = il titolo manca o è errato; elementi: { $n1 }
api-is-longer-than-n-kb-items = supera { $n1 } KB; elementi: { $n2 }
api-has-neither-an-identifier-nor-a = non ha né identificativo né titolo
api-has-no-status = non ha uno stato
api-status-text-is-unknown = stato sconosciuto: “{ $text }”
api-anime-id-must-be-a-whole = anime_id: serve un numero intero da { $n1 } a { $n2 }
api-anilist-id-must-be-a-whole = anilist_id: serve un numero intero da { $n1 } a { $n2 }
api-mal-id-must-be-a-whole = mal_id: serve un numero intero da { $n1 } a { $n2 }

# Waiting entries

waiting-title = Voci in attesa del loro anime
waiting-count = { $count ->
    [0] Nessuna voce delle tue importazioni è in attesa del suo anime.
    [one] 1 voce delle tue importazioni è in attesa del suo anime.
   *[other] { $count } voci delle tue importazioni sono in attesa del loro anime.
}
waiting-hint = Vengono aggiunte alla tua lista quando il loro anime entra nel catalogo, al massimo un anno dopo l’importazione.
waiting-file = Scaricale come file
waiting-untitled = Senza titolo
waiting-search = Cerca nel catalogo
waiting-elsewhere = Altrove

# Files that cannot be read, and what was left out of lists

api-the-archive-is-damaged-or-incomplete = L’archivio è danneggiato o incompleto: non può essere estratto.
api-the-archive-is-encrypted-with-a = L’archivio è protetto da una password. Estrailo con la password e invia i file in un nuovo archivio senza password.
api-the-archive-is-longer-than-64 = L’archivio supera 64 MB una volta estratto.
api-the-archive-has-no-files = L’archivio non contiene file.
api-the-archive-has-a-file-that = L’archivio contiene un file che diventa più di 100 volte più lungo una volta estratto. Non viene letto.
api-the-archive-has-more-than-500 = L’archivio contiene più di 500 file.
api-the-archive-is-packed-in-a = L’archivio è compresso in un modo non supportato. Crealo di nuovo come normale archivio ZIP.
api-the-list-in-the-file-is = La lista nel file è vuota.
api-the-file-is-a-workbook-of = Il file è una cartella di lavoro di un foglio di calcolo. Salvala come CSV e invia quel file.
api-the-file-is-a-pickle-of = Il file è un pickle di Python, come quelli di Trackma. Potrebbe contenere codice, quindi non viene letto. Esporta la lista dal servizio usato da Trackma.
api-the-file-is-a-7z-archive = Il file è un archivio 7z. Estrailo e invia la lista che contiene.
api-the-file-is-a-rar-archive = Il file è un archivio RAR. Estrailo e invia la lista che contiene.
api-the-file-is-a-database-export = Il file è un database. Esporta la lista dal programma che lo ha scritto.
api-the-file-is-a-pdf-document = Il file è un documento PDF, non una lista.
api-the-file-is-a-picture-not = Il file è un’immagine, non una lista.
api-the-file-is-not-a-text-file-it = Il file non è un testo: contiene byte nulli.
api-the-file-is-not-a-text-file = Il file non è un testo.
api-the-file-is-a-web-page = Il file è una pagina web, non una lista. Usa l’esportazione del servizio invece di salvare la pagina.
api-the-file-has-more-than-200 = Il file ha più di 200.000 voci ed episodi. Dividilo in più file.
api-series-and-movies-that-are-not = Serie e film che non sono anime, esclusi: { $n1 }.
api-games-books-and-other-media-that = Giochi, libri e altri media esclusi: { $n1 }.
api-special-episodes-that-were-left-out = Episodi speciali esclusi: { $n1 }.
api-episodes-and-movies-that-were-not = Episodi e film non visti esclusi: { $n1 }.
api-anime-without-a-watched-episode-that = Anime senza episodi visti esclusi: { $n1 }.
api-anime-that-the-user-does-not = Anime che l’utente non vuole vedere, esclusi: { $n1 }.
api-works-without-a-status-that-were = Opere senza stato escluse: { $n1 }.
api-dates-of-which-the-file-does = Date di cui il file non dice se viene prima il giorno o il mese, quindi è stato preso solo l’anno: { $n1 }.
api-the-format-of-this-json-is-not = Il formato di questo JSON è sconosciuto. I suoi primi campi sono "{ $text }".
api-the-file-is-not-an-xml-json = Il file non è un XML, JSON o CSV importabile. La prima riga di un CSV deve indicare le colonne: status, e anime_id, anilist_id, mal_id o title. Le sue prime celle sono "{ $text }".
api-the-xml-is-of-no-format = Il formato di questo XML è sconosciuto. La radice di una lista di anime è myanimelist, e quella del file è "{ $text }".
api-the-format-of-this-json-is = Il formato di questo JSON è sconosciuto.
api-the-archive-has-a-file-with = L’archivio contiene un file con il nome "{ $text }", che esce dalla sua cartella. Non viene letto.
api-the-archive-is-not-of-a = L’archivio non contiene una lista conosciuta. I suoi file sono "{ $text }".
api-the-archive-has-several-lists-send = L’archivio contiene più liste. Inviale una alla volta: "{ $text }".
api-ratings-of-series-and-episodes-which = Voti di serie ed episodi esclusi, perché non dicono che cosa è stato visto: { $n1 }.
api-lists-of-imdb-do-not-say = Le liste di IMDb non dicono che cosa è stato visto, quindi i titoli senza un tuo voto ricevono lo stato “Da vedere”.
api-the-file-is-one-page-of = Il file è una sola pagina della lista. Importa anche le altre pagine.
api-trailers-previews-and-views-of-less = Trailer, anteprime e visioni di meno di due minuti esclusi: { $n1 }.
api-earlier-views-of-the-same-title = Visioni precedenti dello stesso titolo escluse: { $n1 }.
api-the-dates-do-not-tell-whether = Le date non dicono se viene prima il giorno o il mese, quindi sono stati presi solo gli anni.
api-is-in-no-list-and-has = non è in nessuna lista e non è stato visto
api-the-export-is-incomplete-trakt-reports = L’esportazione è incompleta: Trakt segnala errori nel suo file _errors.json.
api-has-neither-a-series-nor-a = non ha né una serie né un film
api-the-file-does-not-say-which = il file non dice di quale anime si tratta
api-rows-about-lists-and-collections-that = Righe su liste e raccolte escluse: { $n1 }.
api-the-titles-of-the-watched-episodes = I titoli degli episodi visti sono troppo lunghi nel complesso. Dividi il file in più file.
api-the-json-has-a-field-twice = Il JSON ha un campo doppio o troppi campi.
api-the-file-has-another-shape-than = La struttura del file non è quella del suo formato.
api-the-file-is-the-library-of = Il file è la libreria di Taiga. I suoi numeri sono quelli del servizio indicato nel nome della cartella, che il file non riporta. Usa invece l’esportazione di Taiga in XML di MyAnimeList.
api-the-file-is-a-list-of-notify = Il file è una lista di notify.moe, che contiene solo gli identificativi di quel servizio e nessun titolo, quindi i suoi anime non si possono trovare.
api-the-file-does-not-number-the = Il file non numera gli episodi, quindi il numero di episodi visti, compresi gli speciali, è stato preso come episodio attuale.
api-the-file-names-no-episode = il file non indica un episodio
api-the-json-is-an-export-of = Il JSON è un’esportazione di questo servizio, ma non ha il campo stories.
api-the-xml-has-an-entry-with = L’XML ha una voce con più di 200.000 elementi e attributi.
api-the-xml-has-no-elements = L’XML non ha elementi.
api-the-entry-is-not-a-json = la voce non è un oggetto JSON
api-the-entry-is-longer-than-100 = la voce supera 100 KB
api-line-n-has-n-cells-but = la riga { $n1 } ha { $n2 } celle, ma l’intestazione ne ha { $n3 }
api-has-no-episode = non ha un episodio
api-its-status-is-unknown = il suo stato è sconosciuto
api-has-no-identifier = non ha un identificativo
api-the-file-is-compressed-with-xz = Il file è compresso con xz. Estrailo, oppure comprimilo con gzip.
api-the-file-is-compressed-with-bzip2 = Il file è compresso con bzip2. Estrailo, oppure comprimilo con gzip.
api-the-file-is-compressed-with-zstd = Il file è compresso con zstd. Estrailo, oppure comprimilo con gzip.
api-the-archive-has-another-archive-in = L’archivio contiene un altro archivio. Estrailo e invia l’archivio che contiene.
api-the-file-text-of-the-archive = Il file "{ $text }" dell’archivio non è stato letto.
api-the-file-is-neither-a-text = Il file non è un testo né in UTF-8 né in "{ $text }". Salvalo in UTF-8.
api-the-file-has-several-profiles = Il file ha più profili.
api-only-that-with-the-most-views = È stato letto solo quello con più visualizzazioni: "{ $text }".
api-these-were-left-out-text = Questi sono stati esclusi: "{ $text }".
api-to-import-another-one-remove-the = Per importarne un altro, elimina le righe di tutti gli altri.
api-the-file-is-a-list-of-letterboxd = Il file è una lista di Letterboxd che non dice se i suoi film sono stati visti o sono da vedere: entrambi i file hanno le stesse colonne. Invia l’intero archivio ZIP.
api-the-series-has-several-anime-and = la serie comprende più anime e la voce non dice quale
api-the-anime-is-not-certain = l’anime non è certo
api-not-searched-because-the-file-has = non cercato, perché il file ha troppi titoli che non sono nel catalogo; importa questi elementi in un file a parte; elementi: { $n1 }
api-season-n-not-searched-because-the = stagione { $n1 }: non cercata, perché il file ha troppi titoli che non sono nel catalogo; importa questi elementi in un file a parte; elementi: { $n2 }

# Proposals

proposals-title = Voci in attesa della tua risposta
proposals-waiting = { $count ->
    [one] 1 voce delle tue importazioni è in attesa della tua risposta
   *[other] { $count } voci delle tue importazioni sono in attesa della tua risposta
}
proposals-none = Nessuna voce delle tue importazioni è in attesa della tua risposta.
proposals-explanation = Abbiamo trovato queste voci. Non sono ancora nella tua lista, perché solo un titolo indica l’anime o perché il file si contraddice.
proposals-count-certain = { $count ->
    [one] { $count } certa
   *[other] { $count } certe
}
proposals-count-uncertain = { $count } da controllare
proposals-count-not-found = { $count } non nel catalogo
proposals-accept-certain = { $count ->
    [one] Aggiungi la voce certa
   *[other] Aggiungi tutte le { $count } voci certe
}
proposals-certain = Certe
proposals-uncertain = Da controllare
proposals-not-found = Non nel catalogo
proposals-discard-not-found = Scarta tutte quelle non trovate
proposals-discard = Scarta
proposals-back = Torna a tutte le voci
proposals-reason-title = Trovato tramite il titolo.
proposals-reason-title-alone = Lo dice solo il titolo. Una serie che non è un anime può avere lo stesso titolo.
proposals-reason-other-title = Il file riporta questo titolo, ma il suo numero è quello di { $title }.
proposals-reason-other-year = Il numero nel file è quello di { $title }, che è di un altro anno.
proposals-reason-other-format = Il numero nel file è quello di { $title }, che ha un altro formato.
proposals-reason-other-id = Due numeri nel file sono quelli di anime diversi.
proposals-reason-several-anime = La serie comprende più anime.
proposals-reason-uncertain = Il titolo può essere quello di uno di questi.
proposals-reason-not-found = Nessun anime trovato.
proposals-reason-not-searched = Non cercato, perché il file ha troppi titoli che non sono nel catalogo.
proposals-added = { $count ->
    [one] 1 voce è stata aggiunta.
   *[other] { $count } voci sono state aggiunte.
}
proposals-changed = { $count ->
    [one] 1 voce è stata modificata.
   *[other] { $count } voci sono state modificate.
}
proposals-unchanged = { $count ->
    [one] 1 voce era già nella tua lista.
   *[other] { $count } voci erano già nella tua lista.
}
proposals-discarded = { $count ->
    [one] 1 voce è stata scartata.
   *[other] { $count } voci sono state scartate.
}
proposals-nothing = Non è cambiato nulla.
