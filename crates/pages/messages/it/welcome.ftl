# The page after sign-up, and the ways to begin

welcome-title = Che cosa hai visto?
welcome-step-account = 1 Account
welcome-step-seen = 2 I tuoi anime
welcome-step-suggestions = 3 Suggerimenti
welcome-lead = Ti diamo il benvenuto, { $name }. Segna tre anime che hai visto per ricevere suggerimenti adatti a te.
welcome-find = Cerca un anime
welcome-find-hint = Titolo in qualsiasi lingua
welcome-seen = Visto
welcome-progress = Visti: { $seen } su { $wanted }.
welcome-missing = { $count ->
    [one] Ancora uno per suggerimenti adatti a te.
   *[other] Ancora { $count } per suggerimenti adatti a te.
}
welcome-enough = { $seen } visti. I suggerimenti sono pronti.
welcome-continue = Continua
welcome-bring = Porta con te la tua lista
welcome-bring-file = Importa un file esportato da un altro servizio.
welcome-bring-trackers = Oppure collega il tuo account. Le due liste restano così sincronizzate.
welcome-file = Importa un file
welcome-play = Collega un lettore
welcome-play-explanation = Il tuo server multimediale o il tuo lettore video comunica a Kiroku che cosa guardi, e la tua lista si aggiorna.
welcome-skip = Salta per ora
welcome-more = Altri modi per cominciare
