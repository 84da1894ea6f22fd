# Passkeys

form-passkey = Passkey
passkeys-heading = Passkey
passkeys-explanation = Con una passkey accedi con l’impronta digitale, il volto o il PIN del tuo dispositivo, senza password.
passkeys-unavailable = Questo server non può offrire passkey: serve un indirizzo HTTPS con un nome di dominio, come https://kiroku.example.
passkeys-unsupported = Per creare o usare una passkey servono JavaScript e un browser recente.
passkeys-note = aggiunta il { $added }, { $used }
passkeys-not-used = mai usata
passkeys-other-host = È stata creata per { $host }, un altro indirizzo di questo server, e funziona solo lì. Crea una nuova passkey per questo indirizzo.
passkeys-name = Nome della passkey
passkeys-name-hint = Per esempio il dispositivo su cui si trova. Al massimo 64 caratteri.
passkeys-add = Aggiungi una passkey
passkeys-full = Hai { $count } passkey, il massimo. Per aggiungerne un’altra, prima rimuovine una.
passkeys-rename = Rinomina
passkeys-new-name = Nuovo nome
passkeys-save = Salva il nome
passkeys-remove = Rimuovi
passkeys-remove-hint = Rimuovendo una passkey esci anche da tutti gli altri browser e da tutte le app.
passkeys-done-added = La passkey è stata aggiunta.
passkeys-done-renamed = La passkey ha un nuovo nome.
passkeys-done-removed = La passkey è stata rimossa. Rimuovila anche dal dispositivo o dal gestore di password.
passkeys-sign-in = Accedi con una passkey
passkeys-sign-up = Registrati con una passkey
passkeys-sign-up-explanation = Il nome { $name } è libero. Ora il browser crea una passkey per il tuo account. Non ti serve una password.
passkeys-create = Crea la passkey
passkeys-first = Prima passkey
passkeys-prove = Conferma con una passkey
passkeys-failed = Non è stata usata nessuna passkey. Forse hai chiuso la finestra di dialogo, oppure questo dispositivo non ha passkey per questo sito. Puoi riprovare.
passkeys-known = Questo dispositivo ha già una passkey per il tuo account.

# Texts of the API

api-could-not-be-read-try-again = non leggibile; riprova
api-took-too-long-or-has-already = tempo scaduto o risposta già inviata; riprova
api-is-not-known-here-it-may = sconosciuta; forse è stata rimossa
api-was-used-at-another-address-than = usata a un indirizzo diverso da quello di questo server
api-did-not-check-that-it-is = la tua identità non è stata verificata; sbloccala con un PIN, un’impronta o il volto
api-could-not-be-checked-try-again = la verifica non è riuscita; riprova
api-was-refused-because-there-may-be = rifiutata, perché potrebbe esisterne una copia; accedi in un altro modo e rimuovila
api-is-one-too-many-remove-another = ne hai già il massimo; prima rimuovine un’altra
api-is-there-already = esiste già
api-is-the-last-way-to-sign = è l’ultimo modo che hai per accedere; prima aggiungine un altro
api-must-have-1-to-64-characters = deve avere da 1 a 64 caratteri
api-passkey-not-found = Passkey non trovata
api-this-server-has-no-passkeys-because = Questo server non ha passkey, perché il suo indirizzo non è un nome di dominio con HTTPS.
