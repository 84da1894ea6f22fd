# The page after sign-up

welcome-title = Ti diamo il benvenuto, { $name }
welcome-lead = La tua lista è ancora vuota. Comincia come preferisci.
welcome-bring = Porta con te la tua lista
welcome-bring-file = Importa un file esportato da un altro servizio.
welcome-bring-trackers = Oppure collega il tuo account. Le due liste restano così sincronizzate.
welcome-file = Importa un file
welcome-find = Trova tre anime che hai visto
welcome-find-explanation = Cercali, o scegli tra i migliori del catalogo. Nella pagina di un anime puoi aggiungerlo alla tua lista.
welcome-play = Collega un lettore
welcome-play-explanation = Il tuo server multimediale o il tuo lettore video comunica a Kiroku che cosa guardi, e la tua lista si aggiorna.
welcome-skip = Salta per ora
welcome-more = Altri modi per cominciare
