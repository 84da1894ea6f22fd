# Sign-in with an identity provider

provider-sign-in = Se connecter avec { $provider }
provider-only = Ce serveur n’accepte pas de mots de passe. Connectez-vous avec son fournisseur d’identité.
provider-failed-title = { $provider } : cela n’a pas fonctionné
provider-failed-expired = Cette tentative a expiré, a déjà servi ou a commencé dans un autre navigateur. Recommencez.
provider-failed-denied = Vous ne vous êtes pas connecté chez { $provider }.
provider-failed-refused = La réponse de { $provider } n’est pas acceptable pour ce serveur. Réessayez. Si le problème persiste, prévenez l’administrateur du serveur.
provider-failed-unavailable = { $provider } ne répond pas en ce moment. Réessayez plus tard.
provider-failed-other-issuer = Les réglages de ce serveur désignent { $provider } par { $expected }, mais il se nomme { $found }. L’administrateur du serveur doit indiquer cette seconde adresse, à l’identique.
provider-failed-not-allowed = Votre compte { $provider } ne permet pas de se connecter ici. Demandez l’accès à l’administrateur du serveur.
provider-failed-no-account = Aucun compte de ce serveur n’est associé à votre compte { $provider }, et ce serveur ne crée pas de nouveaux comptes. Si vous avez déjà un compte ici, connectez-vous autrement, puis associez { $provider } dans vos réglages.
provider-failed-taken = Votre compte { $provider } est déjà associé à un autre compte de ce serveur. Connectez-vous à celui-ci et dissociez-le d’abord.
provider-failed-other-person = Vous vous êtes connecté chez { $provider } avec un autre compte que celui qui est associé.
provider-failed-connected = Un compte { $provider } est déjà associé. Dissociez-le d’abord.
provider-failed-not-again = { $provider } ne vous a pas demandé de vous reconnecter et ne peut donc pas confirmer votre identité. Utilisez un autre moyen.
provider-failed-no-time = { $provider } n’indique pas quand il vous a demandé de vous connecter et ne peut donc pas confirmer votre identité. Utilisez un autre moyen, comme un mot de passe ou une clé d’accès.
provider-try-again = Réessayer
provider-other-way = Se connecter autrement
provider-start = Aller à l’accueil
provider-back-to-profile = Retour à vos réglages

# Signing out

provider-signed-out-title = Vous êtes déconnecté de ce serveur
provider-signed-out-next = Vous allez être dirigé vers { $provider } pour vous y déconnecter aussi.
provider-signed-out-link = Se déconnecter de { $provider }

# First sign-in

provider-new-title = Créez votre compte
provider-new-explanation = Vous êtes connecté chez { $provider } et n’avez pas encore de compte ici. Choisissez votre nom.
provider-new-email-hint = Non publique. Si { $provider } ne l’a pas confirmée, nous vous enverrons un lien pour la vérifier.
provider-new-button = Créer le compte
provider-new-has-account = Vous avez déjà un compte ici ? { $sign-in }, puis associez les deux comptes dans vos réglages.
provider-new-sign-in = Connectez-vous comme d’habitude

# Profile

provider-heading = Fournisseur d’identité
provider-connected = Votre compte { $provider } est associé depuis le { $date }. Vous pouvez l’utiliser pour vous connecter.
provider-not-connected = Associez votre compte { $provider } pour l’utiliser lors de la connexion.
provider-connect = Associer { $provider }
provider-disconnect = Dissocier { $provider }
provider-prove = Confirmer avec { $provider }
provider-done-connected = Votre compte chez le fournisseur d’identité est associé. Vous pouvez maintenant l’utiliser pour vous connecter.
provider-done-disconnected = Votre compte chez le fournisseur d’identité est dissocié. Vous êtes déconnecté partout ailleurs et tous les jetons d’accès sont révoqués.

# Errors

api-this-server-takes-no-passwords-sign = Ce serveur n’accepte pas de mots de passe. Connectez-vous avec son fournisseur d’identité.
api-belongs-to-another-user = appartient à un autre utilisateur
