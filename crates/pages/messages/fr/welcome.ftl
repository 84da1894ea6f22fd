# The page after sign-up

welcome-title = Bienvenue, { $name }
welcome-lead = Votre liste est encore vide. Commencez comme il vous plaît.
welcome-bring = Apportez votre liste
welcome-bring-file = Importez un fichier exporté par un autre service.
welcome-bring-trackers = Ou connectez le compte que vous y avez. Les deux listes restent alors synchronisées.
welcome-file = Importer un fichier
welcome-find = Trouvez trois anime que vous avez vus
welcome-find-explanation = Cherchez-les, ou choisissez parmi les meilleurs du catalogue. Sur la page d’un anime, vous l’ajoutez à votre liste.
welcome-play = Connectez un lecteur
welcome-play-explanation = Votre serveur multimédia ou votre lecteur vidéo indique à Kiroku ce que vous regardez, et votre liste se met à jour.
welcome-skip = Passer pour l’instant
welcome-more = Autres façons de commencer
