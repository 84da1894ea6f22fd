# Forms

form-fault = { $subject }: { $reason }.
form-invitation = Invito
form-link = Link
form-too-many-attempts = Troppi tentativi. Riprova tra { $wait }.
form-password-hint = Almeno 8 caratteri. Qualche parola si ricorda più facilmente dei simboli.
form-save = Salva
form-delete = Elimina
form-kind = Tipo
form-title = Titolo

# Copy buttons

copy-button = Copia
copy-done = Copiato
copy-selected = Selezionato
copy-help = Testo selezionato. Copialo con la tastiera.
copy-command = il comando

# Errors as pages

error-parameter = { $name }: { $reason }.

# Texts of the API

api-sign-in-first = Prima devi accedere
api-you-must-be-signed-in-to = Devi accedere per vedere questa pagina.
api-this-page-has-expired = Questa pagina è scaduta
api-it-has-already-been-used-or = È già stata usata, o è passato troppo tempo. Torna all’applicazione e accedi di nuovo.
api-this-login-cannot-continue = Questo accesso non può continuare
api-the-application-sent-an-invalid-request = L’applicazione ha inviato una richiesta non valida, o la sua registrazione è cambiata. Torna all’applicazione e riprova. Se non basta, manda questo messaggio a chi l’ha sviluppata:
api-does-not-belong-to-a-registered = non corrisponde a nessuna applicazione registrata
api-belongs-to-an-application-that-has = appartiene a un’applicazione cambiata dopo l’apertura della pagina
api-must-equal-a-registered-redirect-uri = deve essere identico, byte per byte, a un URI di reindirizzamento registrato dell’applicazione
api-must-be-sent-only-once = va inviato una sola volta
api-makes-the-request-longer-than-n = fa superare alla richiesta il limite di { $n1 } caratteri
api-invalid-parameters = Parametri non validi
api-unauthorized = Non autorizzato
api-the-access-token-is-invalid-or = Il token di accesso non è valido o è scaduto. Accedi di nuovo.
api-sign-in-failed = Accesso non riuscito
api-the-username-e-mail-address-or = Il nome, l’indirizzo e-mail o la password non sono corretti.
api-forbidden = Accesso negato
api-registration-is-closed = Le registrazioni su questo server sono chiuse.
api-is-invalid-has-expired-or-has = non è valido, è scaduto o è già stato usato; chiedine uno nuovo
api-is-required-registration-on-this-server = è obbligatorio; per registrarsi su questo server serve un invito
api-this-form-has-expired-or-comes = Questo modulo è scaduto o proviene da un altro sito. Torna indietro, ricarica la pagina e riprova. Il browser deve accettare i cookie.
api-this-belongs-to-another-user = Appartiene a un altro utente.
api-no-resource-has-this-identifier = Niente corrisponde a questo identificativo.
api-application-not-found = Applicazione non trovata
api-calendar-not-found = Calendario non trovato
api-import-not-found = Importazione non trovata
api-story-not-found = Voce non trovata
api-token-not-found = Token non trovato
api-already-exists = Esiste già
api-precondition-failed = I dati sono cambiati
api-the-resource-has-changed-since-you = I dati sono cambiati da quando li hai letti. Ricaricali e riprova.
api-too-many-requests = Troppe richieste
api-too-many-attempts-wait-for-the = Troppi tentativi. Aspetta un po’ e riprova.
api-service-unavailable = Servizio non disponibile
api-the-tracker-is-unavailable-or-limits = Il servizio esterno non è disponibile o limita le richieste. Aspetta un po’ e riprova.
api-the-database-is-temporarily-unavailable-try = Il database è temporaneamente non disponibile. Riprova tra un momento.
api-other-requests-are-changing-the-same = Altre richieste stanno modificando gli stessi dati. Riprova tra un momento.
api-the-request-took-too-long-and = La richiesta è durata troppo a lungo ed è stata interrotta. Riprova, o invia meno dati alla volta.
api-internal-server-error = Errore interno del server
api-something-went-wrong-on-our-side-the = Qualcosa è andato storto da parte nostra. L’errore è stato registrato.
api-moved-permanently = Spostato definitivamente
api-paths-do-not-end-with-a = Gli indirizzi non finiscono con una barra. Verrai reindirizzato all’indirizzo giusto.
api-malformed-body = Contenuto della richiesta non valido
api-the-form-must-be-encoded-in = Il modulo deve essere codificato in UTF-8.
api-the-body-ended-early-send-the = La richiesta è incompleta. Inviala di nuovo per intero.
api-malformed-request = Richiesta non valida
api-the-address-is-too-long-use = L’indirizzo è troppo lungo. Può avere al massimo 65.534 caratteri.
api-not-found = Pagina non trovata
api-no-endpoint-has-this-path-the = Nessuna pagina ha questo indirizzo. La documentazione dell’API è su /reference e /v1/openapi.json.
api-method-not-allowed = Metodo non consentito
api-this-path-does-not-support-this = Questo indirizzo non accetta questo metodo. L’intestazione Allow elenca quelli che accetta.
api-body-too-large = Richiesta troppo grande
api-request-bodies-are-limited-to-64 = Il contenuto delle richieste è limitato a 64 KB.
api-unsupported-media-type = Tipo di contenuto non supportato
api-this-page-accepts-only-its-own = Questa pagina accetta solo il proprio modulo (application/x-www-form-urlencoded).
api-is-required = campo obbligatorio
api-must-be-given-only-once = va indicato una sola volta
api-must-have-two-hexadecimal-digits-after = deve avere due cifre esadecimali dopo ogni %
api-must-be-valid-utf-8-after = deve essere UTF-8 valido dopo la decodifica
api-must-be-one-of-the-two = scegli una delle due opzioni
api-must-have-at-least-8-characters = servono almeno 8 caratteri
api-must-have-at-most-4096-bytes = al massimo 4096 byte
api-is-too-common-choose-another-password = troppo comune; scegline un’altra
api-must-not-be-the-username-or = non può essere il nome o l’indirizzo e-mail dell’account
api-must-contain-only-letters-from-a = sono ammesse solo lettere dalla a alla z, cifre, _ e -
api-must-have-3-to-32-characters = deve avere da 3 a 32 caratteri
api-must-be-an-e-mail-address = indica un indirizzo e-mail, per esempio name@example.com
api-is-already-taken = non è più disponibile
api-is-already-verified = indirizzo già verificato
api-is-invalid-has-expired-or-has-already = non valido, scaduto o già usato; richiedine uno nuovo
api-is-wrong = password errata
api-must-be-a-locale-code-of = indica un codice di lingua da 2 a 16 caratteri, per esempio en o pt-BR
api-must-have-1-to-60-characters = deve avere da 1 a 60 caratteri
api-must-not-contain-invisible-characters = non deve contenere caratteri invisibili
api-must-contain-a-visible-character = deve contenere un carattere visibile
api-cannot-be-used-you-have-n = hai già { $n1 } token; prima revocane uno
api-cannot-be-registered-you-have-n = hai già { $n1 } applicazioni; prima eliminane una
api-must-have-at-least-one-address = indica almeno un indirizzo
api-must-have-at-most-10-addresses = al massimo 10 indirizzi
api-must-have-at-most-500-characters = al massimo 500 caratteri per indirizzo
api-must-not-have-a-fragment = i frammenti (#) non sono ammessi
api-must-contain-only-the-characters-of = sono ammessi solo i caratteri di un URI; codifica gli altri con %
api-must-be-an-absolute-uri-with = indica un URI assoluto con https://, un indirizzo di loopback o uno schema privato
api-must-begin-with-https-except-on = deve iniziare con https://, tranne su 127.0.0.1, [::1] e localhost
api-must-not-have-a-user-name = non è ammesso un nome utente (@) prima dell’host
api-must-contain-a-valid-host-as = indica un host valido, come in https://example.com/callback
api-must-begin-with-https-or-with = deve iniziare con https:// o con uno schema privato come com.example.app:/
