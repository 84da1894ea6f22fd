# The second factor: its section and its set-up

factor-second = Secondo fattore
factor-explanation = Con un secondo fattore, per accedere con la password serve anche un codice di un’app di autenticazione. Chi conosce solo la tua password non può accedere.
factor-no-password = Il tuo account non ha una password, quindi non ha bisogno di un secondo fattore: dopo una passkey o un provider di identità non viene chiesto alcun codice.
factor-set-up = Configura un secondo fattore
factor-since = Un’app di autenticazione è configurata dal { $date }.
factor-codes-left = { $count ->
    [0] Non ti restano codici di recupero.
    [one] Ti resta 1 codice di recupero.
   *[other] Ti restano { $count } codici di recupero.
}
factor-new-codes = Crea nuovi codici di recupero
factor-remove-hint = Per usare un’altra app di autenticazione, rimuovi il secondo fattore e configuralo di nuovo. La rimozione termina tutte le altre sessioni e tutti i token di accesso.
factor-remove = Rimuovi il secondo fattore
factor-removed = Il secondo fattore è stato rimosso. Tutte le altre sessioni sono terminate.
factor-set-up-title = Configura un secondo fattore
factor-scan = Scansiona questo codice con la tua app di autenticazione.
factor-qr = Codice QR con la chiave
factor-open = Apri l’app su questo dispositivo
factor-key = Oppure inserisci questa chiave nell’app:
factor-key-copy = la chiave
factor-code-hint = Le 6 cifre che l’app mostra adesso.
factor-confirm = Attiva
factor-back = Indietro senza secondo fattore
factor-added = Il secondo fattore è configurato.
factor-codes-renewed = Hai nuovi codici di recupero. Quelli vecchi non funzionano più.
factor-codes = Codici di recupero
factor-codes-copy = i codici di recupero
factor-codes-hint = Conserva questi codici in un posto sicuro, per esempio in un gestore di password o su carta. Non verranno mostrati di nuovo. Ognuno ti permette di accedere una volta se perdi l’app di autenticazione.
factor-codes-stored = Li ho conservati

# Kinds of factors, for moderators

factor-kinds = Modi di accesso
factor-passkey = Passkey

# The code after the password

code-title = Inserisci un codice
code-label = Codice
code-hint = Le 6 cifre nella tua app di autenticazione, oppure un codice di recupero.
code-lost = Se hai perso sia l’app sia i codici di recupero, contatta il gestore di questo server.
code-other = Accedi con un altro account

# Errors

api-is-wrong-or-has-already-been = è errato o è già stato usato
api-cannot-be-checked-on-this-server = non può più essere verificato su questo server; inserisci un codice di recupero
api-is-wrong-check-that-the-clock = è errato; controlla che l’orologio del tuo dispositivo sia esatto
api-too-much-time-has-passed-sign = È passato troppo tempo. Accedi di nuovo.
api-too-much-time-has-passed-add = È passato troppo tempo. Aggiungi questa nuova chiave alla tua app.
