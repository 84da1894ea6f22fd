# Applications of a user

developer-title = Développeur
developer-explanation = Enregistrez votre application pour que ses utilisateurs se connectent avec leur compte Kiroku et pour accéder à leurs données. Les applications qui ne font que lire le catalogue n’ont pas besoin d’être enregistrées.
developer-none = Vous n’avez enregistré aucune application.
developer-register = Enregistrer une application
developer-register-button = Enregistrer
developer-name-hint = 60 caractères au maximum. Les utilisateurs le voient sur la page d’autorisation.
developer-kind-field = Type d’application
developer-kind-hint = Vous ne pourrez plus le modifier.
developer-kind-confidential = Confidentielle : fonctionne sur un serveur et garde un secret
developer-kind-public = Publique : fonctionne dans un navigateur ou sur un appareil et utilise PKCE
developer-confidential = confidentielle
developer-public = publique
developer-uris = URI de redirection
developer-uris-hint = Jusqu’à 10, une par ligne, exactement telles que votre application les envoie. Utilisez https://, une adresse de bouclage ou un schéma privé comme com.example.app:/callback.
developer-implicit = Autoriser l’octroi implicite
developer-implicit-hint = Déconseillé : il place les jetons dans les adresses, d’où ils peuvent fuiter. L’octroi par code avec PKCE fonctionne aussi dans les navigateurs et sur les appareils.

# One application

developer-done-created = Votre application est enregistrée.
developer-done-saved = Vos modifications sont enregistrées.
developer-done-deleted = L’application a été supprimée. Ses utilisateurs sont en cours de déconnexion, ce qui peut prendre quelques minutes s’ils sont nombreux.
developer-done-secret = L’application a un nouveau secret. L’ancien ne fonctionne plus.
developer-identity = Identité
developer-client-id = Identifiant client
developer-client-id-copy = l’identifiant client
developer-details = Détails
developer-save = Enregistrer les modifications
developer-secret = Secret
developer-secret-explanation = Kiroku ne conserve qu’une empreinte du secret et ne peut plus l’afficher. Un nouveau secret remplace immédiatement l’ancien.
developer-secret-button = Créer un nouveau secret
developer-new-secret = Le secret
developer-new-secret-copy = Copiez-le maintenant. Il ne sera plus affiché.
developer-new-secret-explanation = Gardez-le sur votre serveur et hors de tout ce que reçoivent vos utilisateurs.
developer-client-secret = Secret client
developer-client-secret-copy = le secret client
developer-delete-explanation = La suppression de l’application déconnecte tous ses utilisateurs.
developer-delete-link = Supprimer cette application
developer-all = Toutes vos applications
developer-deletion-title = Supprimer l’application ?
developer-deletion = Cette action est irréversible. Tous les utilisateurs de { $name } sont déconnectés, ses jetons d’accès sont révoqués, et son identifiant client et son secret cessent de fonctionner.
developer-deletion-button = Supprimer l’application
developer-deletion-keep = Garder l’application

# OAuth endpoints

developer-endpoints = Points de terminaison
developer-endpoint-authorization = Point de terminaison d’autorisation
developer-endpoint-token = Point de terminaison des jetons
developer-endpoint-revocation = Point de terminaison de révocation
developer-endpoint-metadata = Métadonnées (RFC 8414)
developer-endpoints-hint = Envoyez les identifiants du client dans le corps de la requête ou avec HTTP Basic. Envoyez toujours un { $state } et un défi PKCE (S256).
