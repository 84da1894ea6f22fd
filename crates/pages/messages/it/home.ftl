# The pages at /: the home page of a signed-in user, and the landing page of visitors

home-title = Oggi
home-offline = Al momento la tua lista non può essere letta. Non si è perso nulla. Riprova tra poco.
home-empty = La tua lista è vuota
home-empty-lead = Gli anime che guardi appaiono qui, con il prossimo episodio e il giorno in cui va in onda.
home-welcome = Importa una lista o iniziane una nuova
home-continue = Continua
home-nothing = Nulla è in corso. Gli anime che guardi appaiono qui.
home-all-current = Tutto ({ $count })
home-plus = +1: visto l’episodio { $number } di { $title }
home-week-title = In onda nei prossimi sette giorni
home-week = { $count ->
    [one] episodio in sette giorni
   *[other] episodi in sette giorni
}
home-completed = { $count ->
    [one] completato
   *[other] completati
}
home-listed = { $count ->
   *[other] nella lista
}
home-airing = In onda
home-calendar = La settimana
home-tomorrow = Domani
home-next = Che cosa guardare dopo
home-sequel = Il seguito di { $title }
home-planned = È tra quelli da vedere ed è in onda adesso
home-because = Perché hai finito { $title }
home-season-all = La stagione
home-best = I voti più alti
home-best-all = Tutti gli anime
landing-title = Annota quello che hai visto.
landing-lead = Un registro discreto di tutti gli anime: episodi, voti, canzoni e note. È tuo, da conservare, esportare e condividere, senza pubblicità e senza tracciamento.
landing-begin = Apri un registro
landing-browse = Dai un’occhiata
landing-import = Importa una lista da AniList o MyAnimeList
landing-tally = Un tratto per episodio
landing-tally-lead = Ogni voce indica l’episodio successivo. Premi +1 e si aggiunge un tratto. Ecco come appaiono le voci:
landing-week = La settimana
landing-week-lead = Il calendario mostra che cosa va in onda tra gli anime che guardi e che cosa ti resta da recuperare. In onda adesso:
landing-year = Un anno da conservare
landing-year-lead = Ogni anime completato prende posto sulla parete del suo anno, che puoi condividere come immagine.
