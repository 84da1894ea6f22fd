security-prove = Pour modifier vos moyens de connexion, confirmez d’abord votre identité.
security-prove-button = Confirmer mon identité

# Password

password-set = Vous pouvez vous connecter avec un mot de passe.
password-none = Votre compte n’a pas de mot de passe.
password-open = Choisir un nouveau mot de passe
password-explanation = Un nouveau mot de passe vous déconnecte partout ailleurs et révoque tous les jetons d’accès.
password-button = Changer le mot de passe
password-first-open = Définir un mot de passe
password-first-explanation = Vous pourrez ensuite vous connecter avec votre nom ou votre adresse e-mail et ce mot de passe. Vous serez déconnecté partout ailleurs, et tous les jetons d’accès seront révoqués.
password-first-button = Définir le mot de passe

# Sessions

session-heading = Où vous êtes connecté
session-explanation = Si vous ne reconnaissez pas l’un de ces navigateurs, déconnectez-le et changez votre mot de passe.
session-own = ce navigateur
session-unknown = inconnu
session-unknown-browser = Navigateur inconnu
session-network = Réseau : { $network }
session-times = Connexion : { $begun } ; dernière utilisation : { $used }
session-more = Et { $count } plus anciens. « Se déconnecter partout » y met fin aussi.
session-ended = Ce navigateur est déconnecté.
