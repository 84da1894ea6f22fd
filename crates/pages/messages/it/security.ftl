security-prove = Per modificare il modo in cui accedi, conferma prima la tua identità.
security-prove-button = Conferma la tua identità

# Password

password-set = Puoi accedere con una password.
password-none = Il tuo account non ha una password.
password-open = Scegli una nuova password
password-explanation = Una nuova password ti fa uscire da tutti gli altri dispositivi e revoca tutti i token di accesso.
password-button = Cambia la password
password-first-open = Imposta una password
password-first-explanation = Potrai poi accedere con il tuo nome o il tuo indirizzo e-mail e questa password. Uscirai da tutti gli altri dispositivi e tutti i token di accesso saranno revocati.
password-first-button = Imposta la password

# Sessions

session-heading = Dove hai effettuato l’accesso
session-explanation = Se non riconosci uno di questi browser, fallo uscire e cambia la password.
session-own = questo browser
session-unknown = sconosciuto
session-unknown-browser = Browser sconosciuto
session-network = Rete: { $network }
session-times = Accesso: { $begun }; ultimo utilizzo: { $used }
session-more = E altri { $count } meno recenti. “Esci da tutti i dispositivi” chiude anche questi.
session-ended = Quel browser è stato disconnesso.
