# Profile

profile-parts = Sezioni delle impostazioni
profile-signed-in = Accesso effettuato come { $name }
profile-about = Su di te
profile-part-account = Account
profile-part-security = Accesso
profile-part-privacy = Privacy
profile-part-connections = Collegamenti
profile-part-data = Dati
profile-part-developer = Sviluppatore
profile-done-email = Il tuo indirizzo e-mail è stato cambiato. Abbiamo inviato al nuovo indirizzo un link per verificarlo.
profile-done-verification = Abbiamo inviato un link al tuo indirizzo e-mail.
profile-done-picture = L’immagine è salvata.
profile-done-picture-removed = L’immagine è rimossa.
profile-done-settings = Le tue impostazioni sono state salvate.
profile-done-password = La tua password è stata cambiata. Sei uscito da tutti gli altri dispositivi e tutti i token di accesso sono stati revocati.
profile-done-linked-a = Il tuo account AniList è collegato. La prima sincronizzazione inizia entro pochi minuti.
profile-done-linked-b = Il tuo account MyAnimeList è collegato. La prima sincronizzazione inizia entro pochi minuti.
profile-done-unlinked-a = Il tuo account AniList non è più collegato. Le voci già sincronizzate restano da entrambe le parti.
profile-done-unlinked-b = Il tuo account MyAnimeList non è più collegato. Le voci già sincronizzate restano da entrambe le parti.
profile-done-revoked = Il token è revocato. Non funziona più.
profile-done-disconnected = L’applicazione è disconnessa. Non può più accedere ai tuoi dati.

# Picture

picture-heading = Immagine
picture-file = File immagine
picture-hint = PNG, JPEG, WebP o GIF, al massimo 200 KB e 1.024 pixel per lato. Se il tuo profilo è pubblico, la vedono tutti.
picture-button = Salva l’immagine
picture-remove = Rimuovi l’immagine

# E-mail address

email-verified = verificato
email-not-verified = non ancora verificato
email-explanation = Per verificare questo indirizzo, apri il link che ti abbiamo inviato.
email-button = Invia di nuovo il link
email-change = Cambia indirizzo e-mail
email-new = Nuovo indirizzo e-mail
email-new-hint = Ti invieremo lì un link per verificarlo. I link delle e-mail precedenti non funzioneranno più.
email-change-button = Cambia indirizzo e-mail

# Access tokens

token-heading = Token dell’API
token-explanation = Con un token, i tuoi programmi possono usare l’API a tuo nome. Custodiscilo come una password. Le applicazioni per altre persone dovrebbero invece usare { $oauth }, che chiede il consenso a ogni utente.
token-name-hint = Al massimo 60 caratteri, per esempio il programma che userà il token.
token-scope = Accesso
token-scope-read = Sola lettura: la tua cronologia, il tuo nome, il tuo indirizzo e-mail e le tue impostazioni
token-scope-playback = Riproduzione: segnalare che cosa guardi, e nient’altro
token-scope-write = Lettura e scrittura: tutto ciò che puoi fare tu, compreso cambiare la password ed eliminare l’account
token-prove = Per creare un token, { $prove }.
token-prove-link = conferma prima la tua identità
token-create = Crea un token
token-new = Il tuo nuovo token
token-new-copy = il tuo nuovo token
token-new-hint = Valido fino al { $date }. Non verrà più mostrato.
token-use = Per usare un token, mettilo al posto di { $token } in questo comando:
token-limits = Un token vale 30 giorni. Puoi averne { $count } alla volta. Per revocarli tutti, esci da tutti i dispositivi o cambia la password.
token-note = { $scope }, creato il { $created }, scade il { $expires }, { $used }
token-read-only = sola lettura
token-playback-only = solo riproduzione
token-read-and-write = lettura e scrittura
token-used = ultimo uso il { $date }
token-not-used = mai usato
token-revoke = Revoca
profile-applications = Registra un’applicazione se altre persone devono usarla con il loro account.
profile-applications-link = Gestisci le tue applicazioni
profile-reference = Documentazione dell’API

# Connected applications

connected-heading = Applicazioni connesse
connected-none = Nessuna applicazione può usare il tuo account.
connected-explanation = Finché non le disconnetti, possono leggere il tuo account. Quelle che non sono in “sola lettura” possono anche modificare la tua cronologia e le tue impostazioni.
connected-more = E altre { $count }. Disconnettine alcune per vederle.
connected-since = dal { $date }
connected-since-read-only = dal { $date }, sola lettura
connected-since-playback-only = dal { $date }, solo riproduzione
connected-disconnect = Disconnetti

# Settings

settings-heading = Impostazioni
settings-gender = Genere
settings-gender-unknown = Non specificato
settings-gender-male = Uomo
settings-gender-female = Donna
settings-language = Lingua
settings-language-hint = Le pagine e le e-mail sono in inglese, francese, italiano o giapponese. I titoli possono essere in tutte queste lingue.
profile-public = Profilo pubblico
settings-visibility = Chi può vedere la mia lista e le mie statistiche
settings-visibility-private = Solo io e i moderatori
settings-visibility-public = Tutti
settings-visibility-indexable = Tutti, e i motori di ricerca possono elencare il mio profilo
settings-visibility-hint = Se tutti possono vederle, si trovano all’indirizzo /user/ seguito dal tuo nome, senza le voci private, le note e il tuo indirizzo e-mail.
settings-public-profile = Vedi il tuo profilo pubblico
settings-button = Salva le impostazioni

# Data and sign-out

profile-history = Porta qui la tua cronologia da un altro servizio, o scaricala come file.
profile-history-link = Importa o esporta la tua cronologia
profile-data = I tuoi dati
profile-data-explanation = Tutto ciò che conserviamo su di te, in un solo file JSON: il tuo account, la tua cronologia e ciò che è connesso.
profile-data-link = Scarica i miei dati
profile-sign-out = Esci
profile-sign-out-everywhere = Esci da tutti i dispositivi
profile-sessions-link = Vedi dove hai effettuato l’accesso
profile-sign-out-hint = “Esci da tutti i dispositivi” ti fa uscire in ogni browser e revoca tutti i token di accesso, compresi quelli delle applicazioni connesse.

# Deletion of the account

profile-delete = Elimina l’account
profile-delete-explanation = Elimina il tuo account e tutti i tuoi dati.
profile-delete-button = Elimina il mio account
delete-title = Vuoi eliminare il tuo account?
delete-explanation = Non si può annullare. Elimina:
delete-account = il tuo account, con nome, indirizzo e-mail e impostazioni
delete-history = la tua cronologia
delete-trackers = i collegamenti ai tuoi account di servizi esterni
delete-connections = l’accesso delle applicazioni che hai connesso
delete-applications = le applicazioni che hai registrato e il loro accesso ai dati di altri utenti
delete-name = In seguito altri utenti potranno registrarsi con il tuo nome e il tuo indirizzo e-mail.
delete-keep = Conserva il mio account
delete-done = Il tuo account è stato eliminato
delete-done-text = Sei uscito e tutti i token di accesso sono stati revocati.

# Trackers

tracker-heading = Servizi esterni
tracker-explanation = La tua cronologia si sincronizza nei due sensi con gli account che colleghi. L’immagine di un account collegato diventa il tuo avatar. Puoi scollegare gli account in qualsiasi momento.
tracker-off = { $tracker } non è attivo su questo server.
tracker-failed-late = { $tracker } non è collegato: hai iniziato in un altro browser o più di 10 minuti fa. Ricomincia.
tracker-failed-denied = { $tracker } non è collegato perché lì l’accesso è stato negato. Non è cambiato nulla.
tracker-failed-refused = { $tracker } ha rifiutato il collegamento. Riprova.
tracker-failed-misconfigured = { $tracker } rifiuta le credenziali di questo server. Contatta il gestore del server.
tracker-failed-later = { $tracker } non è disponibile o limita le nostre richieste. Riprova più tardi.
tracker-linked = collegato
tracker-not-linked = non collegato
tracker-refused = da ricollegare
tracker-connect = Collega { $tracker }
tracker-reconnect = Ricollega { $tracker }
tracker-disconnect = Scollega { $tracker }
tracker-account = Account collegato: { $name }
tracker-refused-explanation = { $tracker } non accetta più il collegamento. Nulla viene sincronizzato finché non lo ricolleghi.
tracker-first-sync = La prima sincronizzazione inizia entro pochi minuti.
tracker-not-synced = Non ancora sincronizzato.
tracker-synced = Ultima sincronizzazione: { $time }.
tracker-run = L’ultima esecuzione, { $time }:
tracker-unchanged = Non era cambiato nulla.
tracker-imported = Voci modificate qui: { $count }
tracker-exported = Voci modificate lì: { $count }
tracker-conflicts = Modificate da entrambe le parti: { $count }
tracker-left = In attesa di invio: { $count }
tracker-rejected = Rifiutate lì: { $count }
tracker-unknown = Anime non ancora nel catalogo: { $count }
tracker-unknown-ids = Anime non ancora nel catalogo: { $count }. I loro ID nel servizio: { $ids }
tracker-unknown-more = e altri
tracker-next-run = La prossima esecuzione non sarà prima di: { $time }.

# Texts of the API

api-must-be-a-png-jpeg-webp-or = deve essere un’immagine PNG, JPEG, WebP o GIF di al massimo 200 KB e 1.024 pixel per lato
api-tracker-no-longer-accepts-the-connection = { $tracker } non accetta più il collegamento. Ricollega l’account.
api-the-run-ended-before-it-was = L’esecuzione è finita prima di completare { $tracker }. La prossima continua a breve.
api-the-account-was-linked-again-or = L’account è stato ricollegato, o è iniziata un’altra esecuzione. La prossima continua a breve.
api-something-went-wrong-on-our-side = Qualcosa è andato storto da parte nostra. Un’esecuzione successiva riproverà.
api-the-last-request-to-tracker-failed = L’ultima richiesta a { $tracker } non è riuscita: stato { $n1 }.
api-the-last-request-to-tracker-failed-an = L’ultima richiesta a { $tracker } non è riuscita: pagina HTML, stato { $n1 }.
api-the-last-request-to-tracker-failed-no = L’ultima richiesta a { $tracker } non è riuscita: nessuna connessione.
api-the-last-request-to-tracker-failed-no-response = L’ultima richiesta a { $tracker } non è riuscita: nessuna risposta in tempo.
api-the-last-request-to-tracker-failed-the = L’ultima richiesta a { $tracker } non è riuscita: la risposta è stata interrotta.
