# Sign-in with an identity provider

provider-sign-in = Accedi con { $provider }
provider-only = Questo server non accetta password. Accedi con il suo provider di identità.
provider-failed-title = { $provider }: qualcosa non ha funzionato
provider-failed-expired = Questo tentativo è scaduto, è già stato usato o è iniziato in un altro browser. Ricomincia.
provider-failed-denied = Non hai effettuato l’accesso a { $provider }.
provider-failed-refused = { $provider } ha inviato una risposta che questo server non può accettare. Riprova. Se il problema continua, avvisa chi gestisce il server.
provider-failed-unavailable = { $provider } non risponde in questo momento. Riprova più tardi.
provider-failed-other-issuer = Nelle impostazioni di questo server { $provider } è indicato come { $expected }, ma il suo nome è { $found }. Chi gestisce il server deve impostare il secondo, senza differenze.
provider-failed-not-allowed = Con il tuo account { $provider } non puoi accedere a questo server. Chiedi l’accesso a chi lo gestisce.
provider-failed-no-account = Nessun account di questo server è collegato al tuo account { $provider }, e questo server non crea nuovi account. Se hai già un account qui, accedi in un altro modo e collega { $provider } dalle impostazioni.
provider-failed-taken = Il tuo account { $provider } è già collegato a un altro account di questo server. Accedi a quell’account e scollegalo prima.
provider-failed-other-person = Hai effettuato l’accesso a { $provider } con un account diverso da quello collegato.
provider-failed-connected = Un account { $provider } è già collegato. Scollegalo prima.
provider-failed-not-again = { $provider } non ti ha chiesto di accedere di nuovo, quindi non può confermare la tua identità. Usa un altro modo.
provider-failed-no-time = { $provider } non indica quando ti ha chiesto di accedere, quindi non può confermare la tua identità. Usa un altro modo, come una password o una passkey.
provider-try-again = Riprova
provider-other-way = Accedi in un altro modo
provider-start = Vai alla pagina iniziale
provider-back-to-profile = Torna alle impostazioni

# Signing out

provider-signed-out-title = Sei uscito da questo server
provider-signed-out-next = Ora passi a { $provider } per uscire anche da lì.
provider-signed-out-link = Esci da { $provider }

# First sign-in

provider-new-title = Crea il tuo account
provider-new-explanation = Hai effettuato l’accesso a { $provider } e non hai ancora un account qui. Scegli il tuo nome.
provider-new-email-hint = Non è pubblico. Se { $provider } non lo ha confermato, ti invieremo un link per verificarlo.
provider-new-button = Crea account
provider-new-has-account = Hai già un account qui? { $sign-in }, poi collega i due account dalle impostazioni.
provider-new-sign-in = Accedi come al solito

# Profile

provider-heading = Provider di identità
provider-connected = Il tuo account { $provider } è collegato dal { $date }. Puoi usarlo per accedere.
provider-not-connected = Collega il tuo account { $provider } per usarlo quando accedi.
provider-connect = Collega { $provider }
provider-disconnect = Scollega { $provider }
provider-prove = Conferma con { $provider }
provider-done-connected = Il tuo account presso il provider di identità è collegato. Ora puoi usarlo per accedere.
provider-done-disconnected = Il tuo account presso il provider di identità è scollegato. Sei stato disconnesso da tutti gli altri dispositivi e tutti i token di accesso sono stati revocati.

# Errors

api-this-server-takes-no-passwords-sign = Questo server non accetta password. Accedi con il suo provider di identità.
api-belongs-to-another-user = appartiene a un altro utente
