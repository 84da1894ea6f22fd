# Every page

page-skip = Vai al contenuto principale
page-navigation = Navigazione principale
page-menu = Menu
page-browse = Sfoglia
page-profile = Profilo
page-sign-in = Accedi
page-sign-up = Registrati
page-search = Cerca anime
page-search-button = Cerca
page-start = Vai alla pagina iniziale
page-error-title = Errore: { $title }
page-footer = Kiroku in giapponese significa “registro”. I suoi cookie servono solo a mantenere l’accesso, a proteggere i moduli, a conservare le impostazioni di visualizzazione e a riconoscere questo browser al prossimo accesso.
page-footer-images = Le immagini di questa pagina vengono caricate dai server delle fonti del catalogo.
page-footer-no-images = Questa pagina non carica nulla da altri siti.
page-developers = Per gli sviluppatori
page-applications = Le tue applicazioni
page-style-guide = Guida di stile

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
