# Profile

profile-parts = Rubriques de vos réglages
profile-signed-in = Connecté en tant que { $name }
profile-about = À propos de vous
profile-part-account = Compte
profile-part-security = Connexion au compte
profile-part-privacy = Confidentialité
profile-part-connections = Connexions
profile-part-data = Données
profile-part-developer = Développeur
profile-done-email = Votre adresse e-mail est modifiée. Nous avons envoyé à la nouvelle adresse un lien pour la vérifier.
profile-done-verification = Nous avons envoyé un lien à votre adresse e-mail.
profile-done-picture = Votre image est enregistrée.
profile-done-picture-removed = Votre image est supprimée.
profile-done-settings = Vos réglages sont enregistrés.
profile-done-password = Votre mot de passe a été modifié. Vous êtes déconnecté partout ailleurs, et tous les jetons d’accès ont été révoqués.
profile-done-linked-a = Votre compte AniList est lié. La première synchronisation aura lieu dans quelques minutes.
profile-done-linked-b = Votre compte MyAnimeList est lié. La première synchronisation aura lieu dans quelques minutes.
profile-done-unlinked-a = Votre compte AniList n’est plus lié. Les entrées déjà synchronisées restent des deux côtés.
profile-done-unlinked-b = Votre compte MyAnimeList n’est plus lié. Les entrées déjà synchronisées restent des deux côtés.
profile-done-revoked = Le jeton est révoqué. Il ne fonctionne plus.
profile-done-disconnected = L’application est déconnectée. Elle n’a plus accès à vos données.

# Picture

picture-heading = Image
picture-file = Fichier image
picture-hint = PNG, JPEG, WebP ou GIF, au plus 200 Ko et 1 024 pixels de côté. Si votre profil est public, tout le monde la voit.
picture-button = Enregistrer l’image
picture-remove = Supprimer l’image

# E-mail address

email-verified = vérifiée
email-not-verified = pas encore vérifiée
email-explanation = Pour vérifier cette adresse, suivez le lien que nous y avons envoyé.
email-button = Renvoyer le lien
email-change = Changer d’adresse e-mail
email-new = Nouvelle adresse e-mail
email-new-hint = Nous y enverrons un lien pour la vérifier. Les liens des e-mails précédents ne fonctionneront plus.
email-change-button = Changer d’adresse e-mail

# Access tokens

token-heading = Jetons d’API
token-explanation = Avec un jeton, vos propres programmes peuvent appeler l’API en votre nom. Gardez-le aussi secret qu’un mot de passe. Les applications destinées à d’autres personnes devraient plutôt utiliser { $oauth }, qui demande l’accord de chaque utilisateur.
token-name-hint = 60 caractères au maximum, par exemple le programme qui utilisera le jeton.
token-scope = Accès
token-scope-read = Lecture seule : votre historique de visionnage, votre nom, votre adresse e-mail et vos réglages
token-scope-playback = Lecture vidéo : signaler ce que vous regardez, et rien d’autre
token-scope-write = Lecture et écriture : tout ce que vous pouvez faire, y compris changer votre mot de passe et supprimer votre compte
token-prove = Pour créer un jeton, { $prove } d’abord.
token-prove-link = confirmez votre identité
token-create = Créer un jeton
token-new = Votre nouveau jeton
token-new-copy = votre nouveau jeton
token-new-hint = Valable jusqu’au { $date }. Il ne sera plus affiché.
token-use = Pour utiliser un jeton, mettez-le à la place de { $token } dans cette commande :
token-limits = Un jeton est valable 30 jours. Vous pouvez en avoir { $count } à la fois. Pour les révoquer tous, déconnectez-vous partout ou changez votre mot de passe.
token-note = { $scope }, créé le { $created }, expire le { $expires }, { $used }
token-read-only = lecture seule
token-playback-only = signalement de lecture seul
token-read-and-write = lecture et écriture
token-used = dernière utilisation le { $date }
token-not-used = pas encore utilisé
token-revoke = Révoquer
profile-applications = Enregistrez une application si d’autres personnes doivent l’utiliser avec leur compte.
profile-applications-link = Gérer vos applications
profile-reference = Référence de l’API

# Connected applications

connected-heading = Applications connectées
connected-none = Aucune application ne peut utiliser votre compte.
connected-explanation = Tant que vous ne les déconnectez pas, elles peuvent lire votre compte. Celles qui ne sont pas en « lecture seule » peuvent aussi modifier votre historique de visionnage et vos réglages.
connected-more = Et { $count } de plus. Déconnectez-en quelques-unes pour voir les autres.
connected-since = depuis le { $date }
connected-since-read-only = depuis le { $date }, lecture seule
connected-since-playback-only = depuis le { $date }, signalement de lecture seul
connected-disconnect = Déconnecter

# Settings

settings-heading = Réglages
settings-gender = Genre
settings-gender-unknown = Non précisé
settings-gender-male = Homme
settings-gender-female = Femme
settings-language = Langue
settings-language-hint = Les pages et les e-mails sont en anglais, en français, en italien ou en japonais. Les titres peuvent être dans toutes ces langues.
profile-public = Profil public
settings-visibility = Qui peut voir ma liste et mes statistiques
settings-visibility-private = Seulement moi et les modérateurs
settings-visibility-public = Tout le monde
settings-visibility-indexable = Tout le monde, et les moteurs de recherche peuvent référencer mon profil
settings-visibility-hint = Si tout le monde peut les voir, elles se trouvent à l’adresse /user/ suivie de votre nom, sans les entrées privées, les remarques ni votre adresse e-mail.
settings-public-profile = Voir votre profil public
settings-button = Enregistrer les réglages

# Data and sign-out

profile-history = Apportez ici votre historique de visionnage d’un autre service, ou téléchargez-le sous forme de fichier.
profile-history-link = Importer ou exporter votre historique de visionnage
profile-data = Vos données
profile-data-explanation = Tout ce que nous enregistrons sur vous, dans un seul fichier JSON : votre compte, votre historique de visionnage et ce qui y est connecté.
profile-data-link = Télécharger mes données
profile-sign-out = Se déconnecter
profile-sign-out-everywhere = Se déconnecter partout
profile-sessions-link = Voir où vous êtes connecté
profile-sign-out-hint = « Se déconnecter partout » vous déconnecte dans tous les navigateurs et révoque tous les jetons d’accès, y compris ceux des applications connectées.

# Deletion of the account

profile-delete = Supprimer le compte
profile-delete-explanation = Supprime votre compte et toutes vos données.
profile-delete-button = Supprimer mon compte
delete-title = Supprimer votre compte ?
delete-explanation = Cette action est irréversible. Elle supprime :
delete-account = votre compte, avec son nom, son adresse e-mail et ses réglages
delete-history = votre historique de visionnage
delete-trackers = les liens avec vos comptes de services de suivi
delete-connections = l’accès des applications que vous avez connectées
delete-applications = les applications que vous avez enregistrées, et leur accès aux données d’autres utilisateurs
delete-name = D’autres utilisateurs pourront ensuite s’inscrire avec votre nom et votre adresse e-mail.
delete-keep = Garder mon compte
delete-done = Votre compte a été supprimé
delete-done-text = Vous êtes déconnecté, et tous les jetons d’accès ont été révoqués.

# Trackers

tracker-heading = Services de suivi
tracker-explanation = Votre historique de visionnage se synchronise dans les deux sens avec les comptes que vous liez. L’image d’un compte lié devient votre avatar. Vous pouvez dissocier un compte à tout moment.
tracker-off = { $tracker } n’est pas activé sur ce serveur.
tracker-failed-late = { $tracker } n’est pas lié : vous avez commencé dans un autre navigateur ou il y a plus de 10 minutes. Recommencez.
tracker-failed-denied = { $tracker } n’est pas lié, car l’accès y a été refusé. Rien n’a changé.
tracker-failed-refused = { $tracker } a refusé la liaison. Recommencez.
tracker-failed-misconfigured = { $tracker } refuse les identifiants de ce serveur. Contactez l’exploitant du serveur.
tracker-failed-later = { $tracker } est indisponible ou limite nos requêtes. Réessayez plus tard.
tracker-linked = lié
tracker-not-linked = non lié
tracker-refused = à reconnecter
tracker-connect = Lier { $tracker }
tracker-reconnect = Lier de nouveau { $tracker }
tracker-disconnect = Dissocier { $tracker }
tracker-account = Compte lié : { $name }
tracker-refused-explanation = { $tracker } n’accepte plus la liaison. Rien n’est synchronisé tant que vous ne l’avez pas rétablie.
tracker-first-sync = La première synchronisation aura lieu dans quelques minutes.
tracker-not-synced = Pas encore synchronisé.
tracker-synced = Dernière synchronisation : { $time }.
tracker-run = La dernière exécution, { $time } :
tracker-unchanged = Rien n’avait changé.
tracker-imported = Entrées modifiées ici : { $count }
tracker-exported = Entrées modifiées là-bas : { $count }
tracker-conflicts = Modifiées des deux côtés : { $count }
tracker-left = En attente d’envoi : { $count }
tracker-rejected = Refusées là-bas : { $count }
tracker-unknown = Anime absents du catalogue pour l’instant : { $count }
tracker-unknown-ids = Anime absents du catalogue pour l’instant : { $count }. Leurs identifiants dans le service : { $ids }
tracker-unknown-more = et d’autres
tracker-next-run = La prochaine exécution n’aura pas lieu avant : { $time }.

# Texts of the API

api-must-be-a-png-jpeg-webp-or = doit être une image PNG, JPEG, WebP ou GIF d’au plus 200 Ko et 1 024 pixels de côté
api-tracker-no-longer-accepts-the-connection = { $tracker } n’accepte plus la liaison. Liez de nouveau le compte.
api-the-run-ended-before-it-was = L’exécution s’est arrêtée avant d’en avoir fini avec { $tracker }. La prochaine reprendra bientôt.
api-the-account-was-linked-again-or = Le compte a été lié de nouveau, ou une autre exécution a commencé. La prochaine reprendra bientôt.
api-something-went-wrong-on-our-side = Un problème est survenu de notre côté. Une prochaine exécution réessaiera.
api-the-last-request-to-tracker-failed = La dernière requête à { $tracker } a échoué : statut { $n1 }.
api-the-last-request-to-tracker-failed-an = La dernière requête à { $tracker } a échoué : page HTML, statut { $n1 }.
api-the-last-request-to-tracker-failed-no = La dernière requête à { $tracker } a échoué : pas de connexion.
api-the-last-request-to-tracker-failed-no-response = La dernière requête à { $tracker } a échoué : pas de réponse à temps.
api-the-last-request-to-tracker-failed-the = La dernière requête à { $tracker } a échoué : la réponse a été coupée.
