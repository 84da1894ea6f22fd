# Forms

form-fault = { $subject } : { $reason }.
form-invitation = Invitation
form-link = Lien
form-too-many-attempts = Trop de tentatives. Réessayez dans { $wait }.
form-password-hint = Au moins 8 caractères. Quelques mots sont plus faciles à retenir que des symboles.
form-save = Enregistrer
form-delete = Supprimer
form-kind = Type
form-title = Titre

# Copy buttons

copy-button = Copier
copy-done = Copié
copy-selected = Sélectionné
copy-help = Texte sélectionné. Copiez-le avec votre clavier.
copy-command = la commande

# Errors as pages

error-parameter = { $name } : { $reason }.
error-not-found = Cette page n’existe pas
error-not-found-help = Vérifiez l’adresse, ou cherchez un anime.
error-missing-help = L’élément a peut-être été supprimé, ou l’adresse est incomplète.
error-method = Cette adresse est celle d’un formulaire
error-method-help = Elle ne s’ouvre pas seule. Ouvrez la page du formulaire et envoyez-le de là.
error-too-large = Votre envoi est trop volumineux
error-too-large-help = Un formulaire peut contenir jusqu’à 64 Ko. Raccourcissez le texte le plus long, puis renvoyez-le.
error-malformed = Votre envoi n’a pas pu être lu
error-malformed-help = Ouvrez de nouveau la page et renvoyez son formulaire.
error-invalid = Certaines valeurs ne conviennent pas
error-form-expired = Ce formulaire a expiré
error-form-expired-help = Rien n’a été modifié. Ouvrez de nouveau la page et renvoyez le formulaire. Votre navigateur doit accepter les cookies.
error-forbidden = Cela ne vous est pas permis
error-changed = Les données ont changé entre-temps
error-changed-help = Rien n’a été modifié. Ouvrez de nouveau la page pour voir l’état actuel, puis refaites votre modification.
error-too-many = Trop de tentatives
error-too-many-help = Patientez quelques minutes, puis réessayez.
error-internal = Un problème est survenu
error-unavailable = Kiroku ne peut pas répondre pour le moment
error-unavailable-help = Rien n’est perdu. Réessayez dans un instant.
error-try-again = Réessayer
error-open-page = Ouvrir de nouveau la page
error-browse = Parcourir tous les anime
account-unreadable = Votre compte ne peut pas être lu pour le moment, et cette page s’affiche sans votre liste. Réessayez dans un instant.

# Texts of the API

api-sign-in-first = Connectez-vous d’abord
api-you-must-be-signed-in-to = Vous devez être connecté pour voir cette page.
api-this-page-has-expired = Cette page a expiré
api-it-has-already-been-used-or = Elle a déjà servi, ou trop de temps s’est écoulé. Retournez à l’application et connectez-vous de nouveau.
api-this-sign-in-cannot-continue = Cette connexion ne peut pas continuer
api-the-application-sent-an-invalid-request = L’application a envoyé une requête non valide, ou son enregistrement a changé. Retournez-y et réessayez. Si cela ne suffit pas, envoyez ce message à son développeur :
api-does-not-belong-to-a-registered = ne correspond à aucune application enregistrée
api-belongs-to-an-application-that-has = appartient à une application qui a changé depuis l’ouverture de la page
api-must-equal-a-registered-redirect-uri = doit être identique, octet par octet, à une URI de redirection enregistrée de l’application
api-must-be-sent-only-once = ne doit être envoyé qu’une fois
api-makes-the-request-longer-than-n = fait dépasser à la requête la limite de { $n1 } caractères
api-unauthorized = Non autorisé
api-the-access-token-is-invalid-or = Le jeton d’accès n’est pas valide ou a expiré. Connectez-vous de nouveau.
api-sign-in-failed = Échec de la connexion
api-the-username-e-mail-address-or = Le nom, l’adresse e-mail ou le mot de passe est incorrect.
api-registration-is-closed = Les inscriptions sont fermées sur ce serveur.
api-is-invalid-has-expired-or-has = n’est pas valable, a expiré ou a déjà servi ; demandez-en une nouvelle
api-is-required-registration-on-this-server = est nécessaire ; ce serveur n’accepte que les inscriptions sur invitation
api-this-belongs-to-another-user = Ceci appartient à un autre utilisateur.
api-application-not-found = Application introuvable
api-calendar-not-found = Calendrier introuvable
api-import-not-found = Importation introuvable
api-story-not-found = Entrée introuvable
api-token-not-found = Jeton introuvable
api-already-exists = Existe déjà
api-something-went-wrong-on-our-side-the = Un problème est survenu de notre côté. L’erreur a été enregistrée.
api-moved-permanently = Déplacé définitivement
api-paths-do-not-end-with-a = Les adresses ne se terminent pas par une barre oblique. Vous allez être redirigé vers la bonne adresse.
api-the-form-must-be-encoded-in = Le formulaire doit être encodé en UTF-8.
api-the-body-ended-early-send-the = La requête est incomplète. Envoyez-la de nouveau en entier.
api-the-address-is-too-long-use = L’adresse est trop longue. Elle peut avoir au plus 65 534 caractères.
api-is-required = champ obligatoire
api-must-be-given-only-once = ne doit être indiqué qu’une fois
api-must-have-two-hexadecimal-digits-after = doit avoir deux chiffres hexadécimaux après chaque %
api-must-be-valid-utf-8-after = doit être de l’UTF-8 valide une fois décodé
api-must-be-one-of-the-two = choisissez l’une des deux options
api-must-have-at-least-8-characters = au moins 8 caractères requis
api-must-have-at-most-4096-bytes = 4096 octets au maximum
api-is-too-common-choose-another-password = trop courant ; choisissez-en un autre
api-must-not-be-the-username-or = ne peut être ni le nom ni l’adresse e-mail du compte
api-must-contain-only-letters-from-a = seuls les lettres de a à z, les chiffres, _ et - sont autorisés
api-must-have-3-to-32-characters = doit comporter de 3 à 32 caractères
api-must-be-an-e-mail-address = indiquez une adresse e-mail, par exemple name@example.com
api-is-already-taken = n’est plus disponible
api-is-already-verified = adresse déjà vérifiée
api-is-invalid-has-expired-or-has-already = non valide, expiré ou déjà utilisé ; demandez-en un nouveau
api-is-wrong = mot de passe incorrect
api-must-be-a-locale-code-of = indiquez un code de langue de 2 à 16 caractères, par exemple en ou pt-BR
api-must-have-1-to-60-characters = doit comporter de 1 à 60 caractères
api-must-not-contain-invisible-characters = ne doit pas contenir de caractères invisibles
api-must-contain-a-visible-character = doit contenir un caractère visible
api-cannot-be-used-you-have-n = vous avez déjà { $n1 } jetons ; révoquez-en d’abord un
api-cannot-be-registered-you-have-n = vous avez déjà { $n1 } applications ; supprimez-en d’abord une
api-must-have-at-least-one-address = indiquez au moins une adresse
api-must-have-at-most-10-addresses = 10 adresses au maximum
api-must-have-at-most-500-characters = 500 caractères au maximum par adresse
api-must-not-have-a-fragment = les fragments (#) ne sont pas autorisés
api-must-contain-only-the-characters-of = seuls les caractères d’une URI sont autorisés ; encodez les autres avec %
api-must-be-an-absolute-uri-with = indiquez une URI absolue avec https://, une adresse de bouclage ou un schéma privé
api-must-begin-with-https-except-on = doit commencer par https://, sauf sur 127.0.0.1, [::1] et localhost
api-must-not-have-a-user-name = aucun nom d’utilisateur (@) n’est autorisé avant l’hôte
api-must-contain-a-valid-host-as = indiquez un hôte valide, comme dans https://example.com/callback
api-must-begin-with-https-or-with = doit commencer par https:// ou par un schéma privé comme com.example.app:/
