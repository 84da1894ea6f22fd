# Accounts

account-name = Nome
account-email = Indirizzo e-mail
account-password = Password
account-new-password = Nuova password
account-signed-out-everywhere = Sei uscito da tutti i dispositivi e tutti i token di accesso sono stati revocati.

# Sign up and sign in

sign-up-name-hint = Da 3 a 32 caratteri: lettere dalla a alla z, cifre, _ e -. Il tuo nome è pubblico.
sign-up-email-hint = Non è pubblico. Ti invieremo un link per verificarlo.
sign-up-has-account = Hai già un account? { $sign-in }.
sign-up-closed = Questo server non accetta nuovi account.
sign-up-needs-invitation = Per creare un account serve un invito. Apri il link del tuo invito.
sign-up-invalid-invitation = L’invito non è valido, è scaduto o è già stato usato. Chiedine uno nuovo.
sign-in-name = Nome o indirizzo e-mail
sign-in-sign-up = Crea un account
sign-in-draft = La sessione è scaduta. La voce non è stata salvata, ma quello che hai scritto è conservato. Accedi per continuare.
door-word = Kiroku tiene il registro degli anime che guardi, episodio per episodio, con i tuoi voti e le tue note.

# Forgotten password

forgot-title = Hai dimenticato la password?
forgot-hint = L’indirizzo del tuo account. Invieremo lì un link per scegliere una nuova password.
forgot-button = Inviami un link
forgot-back = Torna all’accesso
forgot-sent-title = Controlla la tua e-mail
forgot-sent = Se un account usa questo indirizzo, abbiamo inviato lì un link.
forgot-sent-hint = Il link scade dopo un’ora. Se non lo trovi, controlla la posta indesiderata o prova un altro indirizzo.
reset-title = Scegli una nuova password
reset-explanation = Uscirai da tutti i dispositivi.
reset-button = Imposta la password
reset-again = Richiedi un altro link
reset-done = La tua password è stata cambiata

# Verification of the e-mail address

verify-title = Verifica il tuo indirizzo e-mail
verify-explanation = Premi il pulsante per confermare il tuo indirizzo e-mail.
verify-button = Verifica il mio indirizzo e-mail
verify-again = Puoi richiedere un altro link nelle { $profile }.
verify-again-profile = tue impostazioni
verify-done = Il tuo indirizzo e-mail è verificato
verify-profile = Vai alle impostazioni

# Consent to an application

consent-title = Accedi con Kiroku
consent-asks = { $application } chiede l’accesso al tuo account, { $user }.
consent-owner = È stata registrata da { $owner }.
consent-abilities = Che cosa può fare
consent-read = Leggere la tua cronologia, il tuo nome, il tuo indirizzo e-mail e le tue impostazioni
consent-write = Modificare la tua cronologia e le tue impostazioni
consent-playback = Segnalare che cosa guardi
consent-write-limits = Non può cambiare la tua password o i tuoi servizi esterni, né eliminare il tuo account.
consent-read-limits = Non può modificare nulla.
consent-playback-limits = Non può leggere il tuo account, né modificare altro.
consent-days = Ha accesso per { $count } giorni, o finché non la disconnetti dalle impostazioni.
consent-return = Poi tornerai a { $destination }.
consent-allow = Consenti
consent-deny = Rifiuta
consent-other = Non sei { $user }?
consent-other-button = Accedi come un altro utente
