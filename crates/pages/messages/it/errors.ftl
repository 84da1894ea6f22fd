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
error-not-found = Questa pagina non esiste
error-not-found-help = Controlla l’indirizzo o cerca un anime.
error-missing-help = Forse è stato eliminato, oppure l’indirizzo non è completo.
error-method = Questo indirizzo è quello di un modulo
error-method-help = Non si può aprire da solo. Apri la pagina con il modulo e invialo da lì.
error-too-large = Quello che hai inviato è troppo grande
error-too-large-help = Un modulo può avere al massimo 64 KB. Accorcia il testo più lungo e invialo di nuovo.
error-malformed = Non è stato possibile leggere quello che hai inviato
error-malformed-help = Apri di nuovo la pagina e invia ancora una volta il modulo.
error-invalid = Alcuni valori non sono validi
error-form-expired = Questo modulo è scaduto
error-form-expired-help = Non è stato modificato nulla. Apri di nuovo la pagina e invia ancora una volta il modulo. Il browser deve accettare i cookie.
error-forbidden = Non è consentito
error-changed = I dati sono cambiati nel frattempo
error-changed-help = Non è stato modificato nulla. Apri di nuovo la pagina per vedere i dati attuali, poi ripeti la modifica.
error-too-many = Troppi tentativi
error-too-many-help = Aspetta qualche minuto e riprova.
error-internal = Qualcosa è andato storto
error-unavailable = Kiroku non può rispondere in questo momento
error-unavailable-help = Non si è perso nulla. Riprova tra un momento.
error-try-again = Riprova
error-open-page = Apri di nuovo la pagina
error-browse = Sfoglia tutti gli anime
account-unreadable = In questo momento non è possibile leggere il tuo account: la pagina è mostrata senza la tua lista. Riprova tra un momento.

# Texts of the API

api-sign-in-first = Prima devi accedere
api-you-must-be-signed-in-to = Devi accedere per vedere questa pagina.
api-this-page-has-expired = Questa pagina è scaduta
api-it-has-already-been-used-or = È già stata usata, o è passato troppo tempo. Torna all’applicazione e accedi di nuovo.
api-this-sign-in-cannot-continue = Questo accesso non può continuare
api-the-application-sent-an-invalid-request = L’applicazione ha inviato una richiesta non valida, o la sua registrazione è cambiata. Torna all’applicazione e riprova. Se non basta, manda questo messaggio a chi l’ha sviluppata:
api-does-not-belong-to-a-registered = non corrisponde a nessuna applicazione registrata
api-belongs-to-an-application-that-has = appartiene a un’applicazione cambiata dopo l’apertura della pagina
api-must-equal-a-registered-redirect-uri = deve essere identico, byte per byte, a un URI di reindirizzamento registrato dell’applicazione
api-must-be-sent-only-once = va inviato una sola volta
api-makes-the-request-longer-than-n = fa superare alla richiesta il limite di { $n1 } caratteri
api-unauthorized = Non autorizzato
api-the-access-token-is-invalid-or = Il token di accesso non è valido o è scaduto. Accedi di nuovo.
api-sign-in-failed = Accesso non riuscito
api-the-username-e-mail-address-or = Il nome, l’indirizzo e-mail o la password non sono corretti.
api-registration-is-closed = Le registrazioni su questo server sono chiuse.
api-is-invalid-has-expired-or-has = non è valido, è scaduto o è già stato usato; chiedine uno nuovo
api-is-required-registration-on-this-server = è obbligatorio; per registrarsi su questo server serve un invito
api-this-belongs-to-another-user = Appartiene a un altro utente.
api-application-not-found = Applicazione non trovata
api-calendar-not-found = Calendario non trovato
api-import-not-found = Importazione non trovata
api-story-not-found = Voce non trovata
api-token-not-found = Token non trovato
api-already-exists = Esiste già
api-something-went-wrong-on-our-side-the = Qualcosa è andato storto da parte nostra. L’errore è stato registrato.
api-moved-permanently = Spostato definitivamente
api-paths-do-not-end-with-a = Gli indirizzi non finiscono con una barra. Verrai reindirizzato all’indirizzo giusto.
api-the-form-must-be-encoded-in = Il modulo deve essere codificato in UTF-8.
api-the-body-ended-early-send-the = La richiesta è incompleta. Inviala di nuovo per intero.
api-the-address-is-too-long-use = L’indirizzo è troppo lungo. Può avere al massimo 65.534 caratteri.
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
