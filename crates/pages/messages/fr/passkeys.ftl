# Passkeys

form-passkey = Clé d’accès
passkeys-heading = Clés d’accès
passkeys-explanation = Avec une clé d’accès (passkey), vous vous connectez avec votre empreinte digitale, votre visage ou le code de votre appareil, sans mot de passe.
passkeys-unavailable = Ce serveur ne peut pas proposer de clés d’accès : il faut pour cela une adresse en HTTPS avec un nom de domaine, comme https://kiroku.example.
passkeys-unsupported = Pour créer ou utiliser une clé d’accès, il vous faut JavaScript et un navigateur récent.
passkeys-note = ajoutée le { $added }, { $used }
passkeys-not-used = pas encore utilisée
passkeys-other-host = Elle a été créée pour { $host }, une autre adresse de ce serveur, et ne fonctionne que là. Créez une nouvelle clé d’accès pour cette adresse-ci.
passkeys-name = Nom de la clé d’accès
passkeys-name-hint = Par exemple l’appareil où elle se trouve. 64 caractères au maximum.
passkeys-add = Ajouter une clé d’accès
passkeys-full = Vous avez { $count } clés d’accès, le maximum. Supprimez-en une pour en ajouter une autre.
passkeys-rename = Renommer
passkeys-new-name = Nouveau nom
passkeys-save = Enregistrer le nom
passkeys-remove = Supprimer
passkeys-remove-hint = Supprimer une clé d’accès vous déconnecte aussi de tous les autres navigateurs et de toutes les applications.
passkeys-done-added = La clé d’accès a été ajoutée.
passkeys-done-renamed = La clé d’accès a un nouveau nom.
passkeys-done-removed = La clé d’accès a été supprimée. Supprimez-la aussi de votre appareil ou de votre gestionnaire de mots de passe.
passkeys-sign-in = Se connecter avec une clé d’accès
passkeys-sign-up = S’inscrire avec une clé d’accès
passkeys-sign-up-explanation = Le nom { $name } est libre. Votre navigateur va maintenant créer une clé d’accès pour votre compte. Vous n’avez pas besoin de mot de passe.
passkeys-create = Créer la clé d’accès
passkeys-first = Première clé d’accès
passkeys-prove = Confirmer avec une clé d’accès
passkeys-failed = Aucune clé d’accès n’a été utilisée. Vous avez peut-être fermé la boîte de dialogue, ou cet appareil n’a pas de clé d’accès pour ce site. Vous pouvez réessayer.
passkeys-known = Cet appareil a déjà une clé d’accès pour votre compte.

# Texts of the API

api-could-not-be-read-try-again = illisible ; réessayez
api-took-too-long-or-has-already = délai dépassé ou réponse déjà envoyée ; réessayez
api-is-not-known-here-it-may = inconnue ici ; elle a peut-être été supprimée
api-was-used-at-another-address-than = utilisée à une autre adresse que celle de ce serveur
api-did-not-check-that-it-is = votre identité n’a pas été vérifiée ; déverrouillez-la avec un code, une empreinte ou votre visage
api-could-not-be-checked-try-again = la vérification a échoué ; réessayez
api-was-refused-because-there-may-be = refusée, car il en existe peut-être une copie ; connectez-vous d’une autre manière et supprimez-la
api-is-one-too-many-remove-another = vous en avez déjà le maximum ; supprimez-en d’abord une autre
api-is-there-already = existe déjà
api-is-the-last-way-to-sign = c’est votre dernier moyen de connexion ; ajoutez-en d’abord un autre
api-must-have-1-to-64-characters = doit comporter de 1 à 64 caractères
api-passkey-not-found = Clé d’accès introuvable
api-this-server-has-no-passkeys-because = Ce serveur n’a pas de clés d’accès, car son adresse n’est pas un nom de domaine en HTTPS.
