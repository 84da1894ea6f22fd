# Every page

page-skip = Vai al contenuto principale
page-navigation = Navigazione principale
page-today = Oggi
page-list = La mia lista
page-seasons = Stagioni
page-calendar = Calendario
page-statistics = Statistiche
page-songs = Canzoni
page-sign-in = Accedi
page-sign-up = Crea un account
page-account = menu dell’account
page-my-profile = Il mio profilo
page-my-year = Il mio anno
page-settings = Impostazioni
page-sign-out = Esci
page-find = Cerca un anime o una canzone
page-search = Cerca anime
page-search-button = Cerca
page-start = Vai alla pagina iniziale
page-error-title = Errore: { $title }
page-footer = Kiroku in giapponese significa “registro”. I suoi cookie servono solo a mantenere l’accesso, a proteggere i moduli, a conservare le impostazioni di visualizzazione e a riconoscere questo browser al prossimo accesso.
page-footer-images = Le immagini di questa pagina vengono caricate dai server delle fonti del catalogo.
page-footer-no-images = Questa pagina non carica nulla da altri siti.
page-import = Importa una lista
page-developers = Per gli sviluppatori
page-applications = Le tue applicazioni
page-style-guide = Guida di stile

# Search while typing

suggest-results = { $count ->
    [one] 1 risultato
   *[other] { $count } risultati
}
suggest-all = Tutti i risultati per “{ $search }”
suggest-none = Nessun risultato per “{ $search }”.
suggest-plan = Aggiungi “{ $title }” agli anime da vedere

# Sign-out without the proof that a page of this site asks for it

sign-out-question = Vuoi uscire da Kiroku in questo browser?

# Dates and times

date-day = { $day ->
    [1] 1º
   *[other] { $day }
} { $month ->
    [1] gennaio
    [2] febbraio
    [3] marzo
    [4] aprile
    [5] maggio
    [6] giugno
    [7] luglio
    [8] agosto
    [9] settembre
    [10] ottobre
    [11] novembre
   *[12] dicembre
} { $year }
date-month = { $month ->
    [1] gennaio
    [2] febbraio
    [3] marzo
    [4] aprile
    [5] maggio
    [6] giugno
    [7] luglio
    [8] agosto
    [9] settembre
    [10] ottobre
    [11] novembre
   *[12] dicembre
} { $year }
date-year = { $year }
date-moment = { $date }, { $time } { $zone }
wait-minutes = { $count ->
    [one] 1 minuto
   *[other] { $count } minuti
}
wait-hours = { $count ->
    [one] 1 ora
   *[other] { $count } ore
}

# Errors of all pages

api-page-not-found = Pagina non trovata
