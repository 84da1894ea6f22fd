# Applications of a user

developer-title = Sviluppatore
developer-explanation = Registra la tua applicazione per permettere ai suoi utenti di accedere con il loro account Kiroku e per usare i loro dati. Le applicazioni che leggono solo il catalogo non hanno bisogno di registrazione.
developer-none = Non hai registrato nessuna applicazione.
developer-register = Registra un’applicazione
developer-register-button = Registra
developer-name-hint = Al massimo 60 caratteri. Gli utenti lo vedono nella pagina di consenso.
developer-kind-field = Tipo di applicazione
developer-kind-hint = Non potrai cambiarlo in seguito.
developer-kind-confidential = Riservata: gira su un server e custodisce un segreto
developer-kind-public = Pubblica: gira in un browser o su un dispositivo e usa PKCE
developer-confidential = riservata
developer-public = pubblica
developer-uris = URI di reindirizzamento
developer-uris-hint = Fino a 10, uno per riga, esattamente come li invia la tua applicazione. Usa https://, un indirizzo di loopback o uno schema privato come com.example.app:/callback.
developer-implicit = Consenti il flusso implicito
developer-implicit-hint = Sconsigliato: mette i token negli indirizzi, da cui possono trapelare. Il flusso con codice e PKCE funziona anche nei browser e sui dispositivi.

# One application

developer-done-created = La tua applicazione è registrata.
developer-done-saved = Le modifiche sono state salvate.
developer-done-deleted = L’applicazione è stata eliminata. I suoi utenti vengono disconnessi, il che può richiedere qualche minuto se sono molti.
developer-done-secret = L’applicazione ha un nuovo segreto. Quello vecchio non funziona più.
developer-identity = Identità
developer-client-id = ID client
developer-client-id-copy = l’ID client
developer-details = Dettagli
developer-save = Salva le modifiche
developer-secret = Segreto
developer-secret-explanation = Kiroku conserva solo un’impronta del segreto e non può mostrarlo di nuovo. Un nuovo segreto sostituisce subito quello vecchio.
developer-secret-button = Crea un nuovo segreto
developer-new-secret = Il segreto
developer-new-secret-copy = Copialo adesso. Non verrà più mostrato.
developer-new-secret-explanation = Tienilo sul tuo server e fuori da tutto ciò che ricevono i tuoi utenti.
developer-client-secret = Segreto del client
developer-client-secret-copy = il segreto del client
developer-delete-explanation = Eliminando l’applicazione si disconnettono tutti i suoi utenti.
developer-delete-link = Elimina questa applicazione
developer-all = Tutte le tue applicazioni
developer-deletion-title = Vuoi eliminare l’applicazione?
developer-deletion = Non si può annullare. Tutti gli utenti di { $name } vengono disconnessi, i suoi token di accesso vengono revocati e il suo ID client e il suo segreto smettono di funzionare.
developer-deletion-button = Elimina l’applicazione
developer-deletion-keep = Conserva l’applicazione

# OAuth endpoints

developer-endpoints = Endpoint
developer-endpoint-authorization = Endpoint di autorizzazione
developer-endpoint-token = Endpoint dei token
developer-endpoint-revocation = Endpoint di revoca
developer-endpoint-metadata = Metadati (RFC 8414)
developer-endpoints-hint = Invia le credenziali del client nel corpo della richiesta o con HTTP Basic. Invia sempre uno { $state } e una challenge PKCE (S256).
