# Players

profile-players-link = Configurer vos lecteurs

players-title = Lecteurs
players-explanation = Un lecteur signale à Kiroku ce que vous regardez, et votre liste suit. Chaque lecteur envoie ses messages à sa propre adresse.
players-own = Vos lecteurs
players-latest = dernier message : { $time }
players-latest-unknown = aucun message au cours des 30 derniers jours
players-latest-none = aucun message pour l’instant
players-add = Ajouter un lecteur
players-add-button = Ajouter
players-name-hint = 40 caractères au plus. L’historique des modifications d’une entrée l’affiche.
players-kind-jellyfin = Jellyfin
players-kind-plex = Plex
players-kind-emby = Emby
players-kind-kodi = Kodi
players-kind-mpv = mpv
players-kind-other = Un autre programme ou un script
players-plays = Ce qu’il lit
players-plays-anime = Seulement des anime
players-plays-mixed = D’autres choses aussi
players-plays-hint = S’il lit aussi d’autres choses, Kiroku vous demande une fois avant de compter une série qui n’est connue que par son nom et n’est pas dans votre liste.
players-limit = Vous pouvez avoir jusqu’à { $count } lecteurs.
players-back = Retour à vos lecteurs

# Series whose anime is not known, and choices

players-unmatched = De quel anime s’agit-il ?
players-unmatched-explanation = Kiroku n’en est pas sûr. Votre réponse vaut aussi pour les autres épisodes de la saison. Ces séries sont conservées 30 jours.
players-unmatched-more = Et { $count } de plus, qui apparaîtront quand vous aurez répondu à celles-ci.
players-others = { $count ->
    [one] { $count } série qui n’est sans doute pas un anime
   *[other] { $count } séries qui ne sont sans doute pas des anime
}
players-others-explanation = Elles viennent d’un lecteur qui lit aussi d’autres choses, et Kiroku ne pose pas de question à leur sujet. Si l’une d’elles est un anime, choisissez-le ici.
players-guess-one = Est-ce l’anime { $title } ?
players-kept = { $count ->
    [one] { $count } épisode conservé
   *[other] { $count } épisodes conservés
}
players-questions = { $count ->
    [one] { $count } série attend votre réponse
   *[other] { $count } séries attendent votre réponse
}
players-guesses = Est-ce l’un de ceux-ci ?
players-this-one = Celui-ci
players-other-anime = Autre anime
players-not-an-anime = Pas un anime
players-choices = Vos choix
players-choices-explanation = Les messages à leur sujet suivent votre choix. Si vous en annulez un, Kiroku décide de nouveau.
players-chosen-none = pas un anime
players-chosen-part = à partir de l’épisode { $first }, qui est l’épisode { $episode } de l’anime
players-take-back = Annuler ce choix
players-movie = film
players-no-season = sans saison
players-season = saison { $season }
players-episode = épisode { $episode }
players-season-episode = saison { $season }, épisode { $episode }
players-series-title = Choisir l’anime
players-series-explanation = Cherchez l’anime et choisissez-le. Votre choix vaut pour tous les épisodes de la saison.
players-results-none = Aucun anime trouvé. Essayez une autre orthographe.
players-anime = Anime
players-anime-episode = Épisode de l’anime
players-is-episode = L’épisode { $episode } de la saison est cet épisode. Si une saison réunit plusieurs anime, choisissez chacun d’eux avec son propre épisode.
players-movie-is-episode = Le film est cet épisode de l’anime.
players-episodes = { $count ->
    [one] { $count } épisode
   *[other] { $count } épisodes
}

# Confirmations

players-done-applied = { $count ->
    [one] Votre choix est enregistré, et l’épisode est marqué dans votre liste.
   *[other] Votre choix est enregistré, et { $count } épisodes sont marqués dans votre liste.
}
players-done-rejected = Ce que cette attribution avait changé dans votre liste est annulé. De quel anime s’agit-il ?
players-done-kept = Votre liste reste telle quelle, car l’entrée a changé depuis. Vérifiez-la. De quel anime s’agit-il ?
players-done-chosen = Votre choix est enregistré.
players-done-not-an-anime = Votre choix est enregistré. Les messages à ce sujet ne changent rien.
players-done-taken-back = Votre choix est annulé.
players-done-removed = Le lecteur est supprimé. Son adresse ne fonctionne plus.
players-done-added = Le lecteur est ajouté. Configurez-le maintenant.
players-done-saved = Les paramètres sont enregistrés.
players-done-renewed = Le lecteur a une nouvelle adresse. La précédente ne fonctionne plus.

# A player

players-set-up = Configurer { $kind }
players-address = Adresse
players-address-secret = Toute personne qui connaît cette adresse peut modifier votre liste. Une nouvelle adresse met fin à celle-ci aussitôt, de même qu’un nouveau mot de passe ou une déconnexion de tous les appareils.
players-address-ended = L’adresse a pris fin avec votre ancien mot de passe. Créez-en une nouvelle et indiquez-la au lecteur.
players-messages = Messages reçus
players-waiting = Aucun message n’est encore arrivé.
players-waiting-here = Lancez une lecture : le message apparaîtra ici de lui-même.
players-look-again = Vérifier de nouveau
players-no-messages = Aucun message n’est arrivé au cours des 30 derniers jours.
players-messages-explanation = Les 50 derniers messages qui ont changé quelque chose ou qui étaient inutilisables :
players-message = Message reçu
players-fix-wrong = Choisir un autre anime
players-not-this = Pas celui-ci
players-users = Utilisateurs du serveur
players-users-question = Lequel êtes-vous ? Tant que vous n’avez pas choisi, les messages sont conservés un jour et ne changent rien.
players-users-explanation = Seuls les messages de l’utilisateur choisi comptent.
players-user-named = vous
players-user-button = C’est moi
players-settings = Paramètres
players-settings-explanation = Ils peuvent attendre l’arrivée du premier message.
players-settings-link = Modifier les paramètres
players-server-user = Votre nom sur le serveur
players-server-user-hint = Seuls les messages au sujet de cet utilisateur comptent. Laissez ce champ vide si le lecteur n’a pas d’utilisateurs.
players-percent = Pourcentage qui compte comme vu
players-percent-hint = De 50 à 100. Un épisode compte comme vu quand cette part a été lue.
players-private = Rendre privées les nouvelles entrées
players-again = Recommencer les anime terminés
players-again-hint = Quand vous regardez l’épisode 1 d’un anime terminé, vous le revoyez depuis le début.
players-libraries = Bibliothèques d’anime
players-libraries-hint = Un nom par ligne, 20 au plus. Les messages au sujet d’autres bibliothèques ne changent alors rien. Plex et Tautulli envoient le nom de la bibliothèque.
players-takes-back = Annuler un épisode marqué comme non vu
players-takes-back-hint = Seul le dernier épisode vu d’un anime est annulé.
players-takes-ratings = Reprendre les notes du serveur
players-takes-ratings-hint = La note d’un film, d’une saison ou d’une série devient celle d’un anime de votre liste.
players-only-listed = Seulement les anime déjà dans ma liste
players-end = Nouvelle adresse ou suppression
players-end-explanation = Un lecteur supprimé ne peut plus rien changer. Votre liste reste telle quelle.
players-remove = Supprimer le lecteur

# Outcomes of messages

players-outcome-watched = Marqué comme vu :
players-outcome-completed = Marqué comme vu et terminé :
players-outcome-started-again = Recommencé :
players-outcome-position-kept = Position conservée :
players-outcome-already-watched = Déjà vu :
players-outcome-taken-back = Marqué comme non vu :
players-outcome-not-last-watched = Pas le dernier épisode vu :
players-outcome-rated = Noté :
players-outcome-already-rated = Déjà noté :
players-outcome-not-finished = Pas regardé jusqu’au bout :
players-outcome-no-such-episode = L’anime n’a pas cet épisode :
players-outcome-end-unknown = Le nombre de ses épisodes est inconnu.
players-outcome-no-match = Aucun anime trouvé.
players-outcome-not-certain = Plusieurs anime sont possibles.
players-outcome-waits = Attend votre réponse, car le lecteur lit aussi d’autres choses.
players-outcome-differs = Attend votre réponse, car les épisodes précédents de la saison étaient ceux d’un autre anime.
players-outcome-not-listed = Pas dans votre liste :
players-outcome-not-an-anime = Vous avez choisi que ce n’est pas un anime.
players-outcome-not-an-episode = Ce n’est ni un épisode ni un film.
players-outcome-other-event = Les événements de ce type ne changent aucune liste.
players-outcome-unusable = Le titre ou l’épisode manque ou est incorrect.
players-outcome-other-user = Ce message concerne un autre utilisateur du serveur.
players-outcome-other-library = Ce message concerne une autre bibliothèque.
players-outcome-no-user-named = Conservé un jour, jusqu’à ce que vous choisissiez votre utilisateur du serveur.
players-outcome-not-searched = Le titre n’a pas été recherché, car il y avait trop de titres à rechercher.

# The entry of an anime

players-changed = La dernière modification vient du lecteur { $player }.

# Instructions

players-choose = Pour { $field }, choisissez { $values }.
players-template = Modèle
players-template-copy = le modèle
players-jellyfin-install = Dans le tableau de bord, installez l’extension { $plugin } du catalogue, puis redémarrez le serveur.
players-jellyfin-add = Dans les paramètres de l’extension, appuyez sur { $button } et collez l’adresse dans { $field }.
players-jellyfin-template = Collez le texte ci-dessous dans { $field } et enregistrez. Aucun en-tête n’est nécessaire.
players-plex = Avec Plex Pass : ouvrez { $menu } dans votre compte Plex et ajoutez l’adresse.
players-tautulli = Sans Plex Pass, Tautulli peut envoyer les messages :
players-tautulli-add = Dans Tautulli, ouvrez { $menu }, ajoutez l’agent { $agent } et collez l’adresse dans { $field }.
players-tautulli-data = Ouvrez { $tab }, collez le texte ci-dessous dans { $field } de chacun de ces déclencheurs et enregistrez.
players-emby-add = Ouvrez { $menu }, ajoutez { $kind } et collez l’adresse.
players-emby-events = Choisissez tous les événements de lecture, et celui des éléments marqués comme vus. Enregistrez.
players-mpv-script = Enregistrez le script { $script } du dépôt de Kiroku dans le dossier { $folder } de mpv.
players-mpv-options = Enregistrez la ligne ci-dessous sous { $file } dans le dossier de mpv.
players-options-copy = la ligne
players-kodi = Faites exécuter cette commande par une extension à la fin de chaque vidéo, avec le nom du fichier de la vidéo :
players-other = Tout programme ou script peut envoyer un message à la fin d’une vidéo, par exemple celui-ci :
players-command-hint = Au lieu du nom du fichier, un message peut contenir le titre, la saison et l’épisode.

# Texts of the API

api-player-not-found = Lecteur introuvable
api-cannot-be-used-you-have-n-players = ne peut pas être utilisé : vous avez déjà { $n1 } lecteurs ; supprimez-en un d’abord
api-cannot-be-chosen-you-have-1000 = ne peut pas être choisi : vous avez déjà fait 1 000 choix ; annulez-en un d’abord
api-must-have-1-to-40-characters = doit comporter de 1 à 40 caractères
api-must-have-1-to-200-characters = doit comporter de 1 à 200 caractères
api-must-have-at-most-1000-characters = doit comporter au plus 1 000 caractères
api-message-not-found = Message introuvable
api-must-have-at-most-20-lines = doit comporter au plus 20 lignes
api-must-be-the-number-of-a = doit être le numéro d’une saison, movie ou none
