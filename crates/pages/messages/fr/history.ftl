# Import and export

history-title = Importer et exporter
history-import = Importer
history-import-explanation = Choisissez une liste exportée de MyAnimeList, AniList, Kitsu, Simkl, Trakt, TV Time, Anime-Planet, Kiroku ou d’un autre service, un tableur enregistré en CSV, ou un fichier avec ce que vous avez vu dans Jellyfin, Plex ou Emby.
history-file = Fichier de liste
history-file-hint = 4 Mo et 20 000 entrées au maximum. Choisissez le fichier tel que vous l’avez téléchargé, même une archive ZIP ou un fichier compressé avec gzip (.gz).
history-mode = Entrées que vous avez déjà ici
history-mode-merge = Fusionner : votre progression ne recule jamais, et les champs vides sont complétés à partir du fichier
history-mode-keep = Garder : elles restent telles quelles
history-mode-replace = Remplacer : elles deviennent comme dans le fichier, même si vous êtes plus avancé ici
history-scale = Échelle des notes
history-scale-hint = Nécessaire seulement si le fichier ne l’indique pas, comme l’export de compte d’AniList ou un tableur.
history-scale-file = Celle du fichier
history-scale-3 = 1 à 3
history-scale-5 = 1 à 5
history-scale-10 = 1 à 10
history-scale-100 = 1 à 100
history-account = Compte
history-account-hint = Nécessaire seulement pour un historique de Plex qui réunit plusieurs comptes : le numéro après accountID.
history-preview = Aperçu
history-preview-hint = Un aperçu montre ce que ferait l’importation. Il ne change rien.
history-imports = Importations récentes et annulation
history-export = Exporter
history-export-explanation = Téléchargez votre historique de visionnage sous forme de fichier :
history-format-xml = XML de MyAnimeList
history-format-xml-hint = Pour MyAnimeList et tous les services qui importent ses listes. Les entrées privées et les anime que MyAnimeList n’a pas sont omis.
history-format-csv = CSV
history-format-csv-hint = Pour les tableurs.
history-format-json = JSON
history-format-json-hint = Contient tout : pour une sauvegarde ou un autre serveur Kiroku.
history-back = Retour à l’importation et à l’exportation

# Report of an import

report-preview = Aperçu de l’importation
report-preview-done = Rien n’a encore été modifié. Voici ce que ferait l’importation.
report-import = Importation terminée
report-import-done = Votre historique de visionnage a été importé.
report-import-nothing = Le fichier ne contient rien qui modifie votre historique de visionnage.
report-import-waits = Votre historique de visionnage n’a pas encore changé, car des entrées du fichier sont en attente : voir ci-dessous.
report-undo = Annuler
report-undo-explanation = Vous pouvez annuler cette importation pendant 7 jours. Les modifications que vous ferez d’ici là seront conservées.
report-choose-again = Le fichier est trop volumineux pour être gardé dans cette page. Pour l’importer, choisissez-le de nouveau.
report-kept = Le fichier est gardé dans cette page : inutile de le choisir de nouveau. Vous pouvez aussi changer la façon de l’importer et afficher un nouvel aperçu.
report-title = Titre
report-status = Statut
report-progress = Épisodes
report-score = Note
report-entries = Entrées
report-file = { $count ->
    [one] Le fichier est au format { $format } et contient { $count } entrée :
   *[other] Le fichier est au format { $format } et contient { $count } entrées :
}
report-count-new = { $count ->
    [one] nouvelle
   *[other] nouvelles
}
report-count-changed = { $count ->
    [one] modifiée
   *[other] modifiées
}
report-count-unchanged = { $count ->
    [one] inchangée
   *[other] inchangées
}
report-count-repeated = { $count ->
    [one] répétée dans le fichier
   *[other] répétées dans le fichier
}
report-count-skipped = { $count ->
    [one] ignorée
   *[other] ignorées
}
report-count-waiting = { $count ->
    [one] absente du catalogue
   *[other] absentes du catalogue
}
report-count-proposals = { $count ->
    [one] attend votre réponse
   *[other] attendent votre réponse
}
report-proposals = En attente de votre réponse
report-proposals-hint = Seul un titre désigne ces anime, ou le fichier se contredit. Ils sont ajoutés quand vous les confirmez.
report-unknown-fields = Ces champs du fichier ne sont pas importés : { $names }.
report-unreadable-values = Valeurs illisibles, laissées de côté : { $names }.
report-skipped = Ignorées
report-skipped-hint = Ces entrées ne peuvent pas être utilisées.
report-skipped-entry = Entrée { $position } : { $reason }
report-waiting = Absentes du catalogue
report-waiting-hint = Kiroku ne connaît pas encore ces anime. Les entrées qui ont un identifiant AniList ou MyAnimeList sont gardées un an et ajoutées quand leur anime apparaît.
report-changed = Modifiées
report-new = Nouvelles
report-more = Et { $count } de plus.
report-entry = Entrée { $position }
report-separator = {", "}
report-field-status = statut
report-field-episode = épisode
report-field-position = position dans l’épisode
report-field-score = note
report-field-start = date de début
report-field-end = date de fin
report-field-repeats = revisionnages
report-field-notes = remarques
report-field-privacy = confidentialité

# Recent imports

imports-title = Importations récentes
imports-explanation = Vous pouvez annuler une importation pendant 7 jours. Les entrées ajoutées sont supprimées, et celles qui ont été modifiées reprennent leurs anciennes valeurs. Les modifications que vous avez faites depuis sont conservées.
imports-none = Vous n’avez rien importé au cours des 7 derniers jours.
imports-undo = Annuler cette importation
imports-undo-question = Annuler cette importation ?
imports-undo-deletes = { $count ->
    [one] { $count } entrée ajoutée est supprimée de votre liste.
   *[other] { $count } entrées ajoutées sont supprimées de votre liste.
}
imports-undo-restores = { $count ->
    [one] { $count } entrée modifiée reprend ses anciennes valeurs.
   *[other] { $count } entrées modifiées reprennent leurs anciennes valeurs.
}
imports-undo-forgets = { $count ->
    [one] { $count } entrée n’attend plus son anime ou votre réponse.
   *[other] { $count } entrées n’attendent plus leur anime ou votre réponse.
}
imports-undo-stays = Les modifications que vous avez faites depuis sont conservées. Vous pourrez importer le fichier de nouveau plus tard.
imports-keep = Garder l’importation
imports-heading = Importation du { $time }
imports-counts = Elle a ajouté { $added ->
    [one] { $added } entrée
   *[other] { $added } entrées
} et modifié { $changed ->
    [one] { $changed } entrée
   *[other] { $changed } entrées
} que vous avez encore.
imports-waiting = { $count ->
    [one] { $count } entrée attend son anime.
   *[other] { $count } entrées attendent leur anime.
}
imports-undone = L’importation a été annulée : { $restored ->
    [one] { $restored } entrée rétablie
   *[other] { $restored } entrées rétablies
}, { $deleted ->
    [one] { $deleted } entrée supprimée
   *[other] { $deleted } entrées supprimées
}.
imports-forgotten = { $count ->
    [one] { $count } entrée n’attend plus son anime ou votre réponse.
   *[other] { $count } entrées n’attendent plus leur anime ou votre réponse.
}
imports-kept = Vous avez modifié { $count ->
    [one] { $count } entrée
   *[other] { $count } entrées
} depuis. Ces modifications sont conservées.

# Texts of the API

api-must-have-at-most-4-mb = 4 Mo au maximum ; compressez un fichier plus gros avec gzip
api-the-form-is-incomplete-or-malformed = Le formulaire est incomplet ou mal formé. Revenez en arrière, rechargez la page et envoyez-le de nouveau.
api-the-form-must-have-each-field = Le formulaire ne doit contenir chaque champ qu’une fois.
api-list-files-on-this-page-are = Sur cette page, les fichiers de liste sont limités à 4 Mo. Compressez un fichier plus gros avec gzip.
api-must-be-one-of-mal-xml = choisissez mal_xml, csv ou json
api-the-file-is-empty = Le fichier est vide.
api-the-file-is-longer-than-64 = Le fichier dépasse 64 Mo.
api-the-file-is-longer-than-64-mb = Une fois décompressé, le fichier dépasse 64 Mo.
api-the-file-is-damaged-or-incomplete = Le fichier est endommagé ou incomplet : gzip ne peut pas le décompresser.
api-the-file-has-more-than-20 = Le fichier a plus de 20 000 entrées. Divisez-le en plusieurs fichiers.
api-the-file-is-a-list-of = Le fichier est une liste de mangas. Seules les listes d’anime peuvent être importées.
api-the-xml-has-a-document-type = Le XML contient une définition de type de document (DTD), ce que les listes d’anime n’ont jamais.
api-the-xml-has-more-than-1 = Le XML a plus de 1 000 000 d’éléments.
api-the-xml-is-nested-too-deeply = Le XML est imbriqué trop profondément.
api-the-xml-is-invalid-or-ends = Le XML n’est pas valide ou se termine trop tôt, près de la ligne { $n1 }.
api-the-json-is-an-export-of-this = Le JSON est une exportation de ce service, mais pas de la version 1.
api-the-json-is-invalid-or-ends = Le JSON n’est pas valide ou se termine trop tôt à la ligne { $n1 }, colonne { $n2 }.
api-line-n-of-the-csv-has = La ligne { $n1 } du CSV a plus de 1 000 cellules.
api-the-csv-has-a-cell-without = Le CSV a une cellule sans guillemet fermant dans la rangée qui commence à la ligne { $n1 }.
api-the-file-does-not-state-the = Le fichier n’indique pas l’échelle de ses notes. Elles ont été lues de { $n1 } à { $n2 }, car la plus haute est { $n3 }.
api-the-scores-were-read-as-n = Les notes ont été lues de { $n1 } à { $n2 }.
api-notes-that-were-cut-after-n = Remarques coupées après 2 000 caractères : { $n2 }.
api-times-that-could-not-be-read = Heures illisibles et ignorées : { $n1 }.
api-manga-that-were-left-out-n = Mangas omis : { $n1 }.
api-entries-that-are-not-kept-until = Entrées qui ne sont pas gardées jusqu’à l’apparition de leur anime, faute d’identifiant AniList ou MyAnimeList : { $n1 }.
api-entries-that-are-not-kept-because = Entrées qui ne sont pas gardées, car on garde au plus 5 000 entrées et { $n2 } Ko par utilisateur : { $n3 }.
api-no-anime-was-found = aucun anime n’a été trouvé
api-the-file-states-no-status-and = le fichier n’indique pas de statut, et l’anime n’est pas dans la liste
api-the-series-has-several-anime-so = la série comprend plusieurs anime, donc seuls ses épisodes vus comptent
api-the-title-the-year-or-the = le titre, l’année ou le type n’est pas celui de l’anime qui a cet identifiant ; éléments : { $n1 }
api-season-n-the-title-the-year = saison { $n1 } : le titre, l’année ou le type n’est pas celui de l’anime qui a cet identifiant ; éléments : { $n2 }
api-the-file-has-episode-n-but = le fichier indique l’épisode { $n1 }, mais l’anime a { $n2 } épisodes
api-the-file-is-an-answer-of = Le fichier est une réponse de Plex en XML. Demandez du JSON à Plex, avec l’en-tête Accept: application/json.
api-must-be-the-number-of-an = doit être le numéro d’un compte
api-the-history-of-plex-has-several = L’historique de Plex réunit plusieurs comptes : { $text }. Choisissez-en un avec le paramètre account.
api-the-history-of-plex-has-no = L’historique de Plex n’a pas de compte { $n1 }, mais ceux-ci : { $text }.
api-an-answer-of-jellyfin-emby-or = Une réponse de Jellyfin, d’Emby ou de Plex doit avoir ses éléments dans le tableau Items, ou dans le tableau Metadata de MediaContainer.
api-watched-episodes-and-movies-in-the = Épisodes et films vus dans le fichier : { $n1 }.
api-items-that-were-left-out-because = Éléments omis, parce qu’ils n’ont pas été vus ou ne sont ni des épisodes ni des films : { $n1 }.
api-no-anime-was-found-items-n = aucun anime n’a été trouvé ; éléments : { $n1 }
api-season-n-no-anime-was-found = saison { $n1 } : aucun anime n’a été trouvé ; éléments : { $n2 }
api-the-anime-is-not-certain-items = l’anime n’est pas certain ; éléments : { $n1 }
api-season-n-the-anime-is-not = saison { $n1 } : l’anime n’est pas certain ; éléments : { $n2 }
api-marked-as-no-anime-items-n = marqué comme n’étant pas un anime ; éléments : { $n1 }
api-season-n-marked-as-no-anime = saison { $n1 } : marqué comme n’étant pas un anime ; éléments : { $n2 }
api-the-file-names-no-episode-items = le fichier ne nomme aucun épisode ; éléments : { $n1 }
api-is-not-a-valid-json-object = n’est pas un objet JSON valide ; éléments : { $n1 }
api-season-is-missing-or-wrong-items = la saison manque ou est fausse ; éléments : { $n1 }
api-episode-is-missing-or-wrong-items = l’épisode manque ou est faux ; éléments : { $n1 }
api-title-is-missing-or-wrong-items = le titre manque ou est faux ; éléments : { $n1 }
api-is-longer-than-n-kb-items = dépasse { $n1 } Ko ; éléments : { $n2 }
api-has-neither-an-identifier-nor-a = n’a ni identifiant ni titre
api-has-no-status = n’a pas de statut
api-status-text-is-unknown = statut inconnu : « { $text } »
api-anime-id-must-be-a-whole = anime_id : nombre entier de { $n1 } à { $n2 } attendu
api-anilist-id-must-be-a-whole = anilist_id : nombre entier de { $n1 } à { $n2 } attendu
api-mal-id-must-be-a-whole = mal_id : nombre entier de { $n1 } à { $n2 } attendu

# Waiting entries

waiting-title = Entrées qui attendent leur anime
waiting-count = { $count ->
    [0] Aucune entrée de vos importations n’attend son anime.
    [one] { $count } entrée de vos importations attend son anime.
   *[other] { $count } entrées de vos importations attendent leur anime.
}
waiting-hint = Elles sont ajoutées à votre liste quand leur anime entre dans le catalogue, au plus un an après l’importation.
waiting-file = Les télécharger dans un fichier
waiting-untitled = Sans titre
waiting-search = Chercher dans le catalogue
waiting-elsewhere = Ailleurs

# Files that cannot be read, and what was left out of lists

api-the-archive-is-damaged-or-incomplete = L’archive est endommagée ou incomplète : elle ne peut pas être décompressée.
api-the-archive-is-encrypted-with-a = L’archive est protégée par un mot de passe. Décompressez-la avec le mot de passe, et envoyez les fichiers dans une nouvelle archive sans mot de passe.
api-the-archive-is-longer-than-64 = L’archive dépasse 64 Mo une fois décompressée.
api-the-archive-has-no-files = L’archive ne contient aucun fichier.
api-the-archive-has-a-file-that = L’archive contient un fichier qui devient plus de 100 fois plus long une fois décompressé. Elle n’est pas lue.
api-the-archive-has-more-than-500 = L’archive contient plus de 500 fichiers.
api-the-archive-is-packed-in-a = L’archive est compressée d’une façon qui n’est pas prise en charge. Recréez-la comme archive ZIP ordinaire.
api-the-list-in-the-file-is = La liste du fichier est vide.
api-the-file-is-a-workbook-of = Le fichier est un classeur de tableur. Enregistrez-le en CSV et envoyez ce fichier.
api-the-file-is-a-pickle-of = Le fichier est un pickle de Python, comme l’écrit Trackma. Il pourrait contenir du code, il n’est donc pas lu. Exportez la liste depuis le service que Trackma utilise.
api-the-file-is-a-7z-archive = Le fichier est une archive 7z. Décompressez-la et envoyez la liste qu’elle contient.
api-the-file-is-a-rar-archive = Le fichier est une archive RAR. Décompressez-la et envoyez la liste qu’elle contient.
api-the-file-is-a-database-export = Le fichier est une base de données. Exportez la liste depuis le programme qui l’a écrite.
api-the-file-is-a-pdf-document = Le fichier est un document PDF, pas une liste.
api-the-file-is-a-picture-not = Le fichier est une image, pas une liste.
api-the-file-is-not-a-text-file-it = Le fichier n’est pas un texte : il contient des octets nuls.
api-the-file-is-not-a-text-file = Le fichier n’est pas un texte.
api-the-file-is-a-web-page = Le fichier est une page web, pas une liste. Utilisez l’export du service au lieu d’enregistrer sa page.
api-the-file-has-more-than-200 = Le fichier a plus de 200 000 entrées et épisodes. Divisez-le en plusieurs fichiers.
api-series-and-movies-that-are-not = Séries et films qui ne sont pas des anime, laissés de côté : { $n1 }.
api-games-books-and-other-media-that = Jeux, livres et autres médias laissés de côté : { $n1 }.
api-special-episodes-that-were-left-out = Épisodes spéciaux laissés de côté : { $n1 }.
api-episodes-and-movies-that-were-not = Épisodes et films non vus laissés de côté : { $n1 }.
api-anime-without-a-watched-episode-that = Anime sans épisode vu laissés de côté : { $n1 }.
api-anime-that-the-user-does-not = Anime que l’utilisateur ne veut pas voir, laissés de côté : { $n1 }.
api-works-without-a-status-that-were = Œuvres sans statut laissées de côté : { $n1 }.
api-dates-of-which-the-file-does = Dates dont le fichier ne dit pas si le jour ou le mois vient en premier, donc seule l’année est prise : { $n1 }.
api-the-format-of-this-json-is-not = Le format de ce JSON est inconnu. Ses premiers champs sont « { $text } ».
api-the-file-is-not-an-xml-json = Le fichier n’est ni un XML, ni un JSON, ni un CSV qui puisse être importé. La première ligne d’un CSV doit nommer les colonnes : status, et anime_id, anilist_id, mal_id ou title. Ses premières cellules sont « { $text } ».
api-the-xml-is-of-no-format = Le format de ce XML est inconnu. La racine d’une liste d’anime est myanimelist, et celle du fichier est « { $text } ».
api-the-format-of-this-json-is = Le format de ce JSON est inconnu.
api-the-archive-has-a-file-with = L’archive contient un fichier nommé « { $text } », qui sort de son dossier. Elle n’est pas lue.
api-the-archive-is-not-of-a = L’archive n’est pas celle d’une liste connue. Ses fichiers sont « { $text } ».
api-the-archive-has-several-lists-send = L’archive contient plusieurs listes. Envoyez-les une par une : « { $text } ».
api-ratings-of-series-and-episodes-which = Notes de séries et d’épisodes laissées de côté, car elles ne disent pas ce qui a été vu : { $n1 }.
api-lists-of-imdb-do-not-say = Les listes d’IMDb ne disent pas ce qui a été vu : les titres que vous n’avez pas notés reçoivent donc le statut « À voir ».
api-the-file-is-one-page-of = Le fichier est une seule page de la liste. Importez aussi les autres pages.
api-trailers-previews-and-views-of-less = Bandes-annonces, extraits et visionnages de moins de deux minutes laissés de côté : { $n1 }.
api-earlier-views-of-the-same-title = Visionnages antérieurs du même titre laissés de côté : { $n1 }.
api-the-dates-do-not-tell-whether = Les dates ne disent pas si le jour ou le mois vient en premier, donc seules les années ont été prises.
api-is-in-no-list-and-has = ne figure dans aucune liste et n’a pas été vu
api-the-export-is-incomplete-trakt-reports = L’export est incomplet : Trakt signale des erreurs dans son fichier _errors.json.
api-has-neither-a-series-nor-a = n’a ni série ni film
api-the-file-does-not-say-which = le fichier ne dit pas de quel anime il s’agit
api-rows-about-lists-and-collections-that = Lignes au sujet de listes et de collections laissées de côté : { $n1 }.
api-the-titles-of-the-watched-episodes = Les titres des épisodes vus sont trop longs au total. Divisez le fichier en plusieurs.
api-the-json-has-a-field-twice = Le JSON a un champ en double ou trop de champs.
api-the-file-has-another-shape-than = La structure du fichier n’est pas celle de son format.
api-the-file-is-the-library-of = Le fichier est la bibliothèque de Taiga. Ses numéros sont ceux du service qui figure dans le nom de son dossier, et que le fichier n’indique pas. Utilisez plutôt l’export de Taiga au format XML de MyAnimeList.
api-the-file-is-a-list-of-notify = Le fichier est une liste de notify.moe, qui ne contient que les identifiants propres à ce service, sans titres : ses anime sont introuvables.
api-the-file-does-not-number-the = Le fichier ne numérote pas les épisodes : le nombre d’épisodes vus, spéciaux compris, a été pris comme épisode actuel.
api-the-file-names-no-episode = le fichier n’indique pas d’épisode
api-the-json-is-an-export-of = Le JSON est un export de ce service, mais n’a pas de champ stories.
api-the-xml-has-an-entry-with = Le XML a une entrée de plus de 200 000 éléments et attributs.
api-the-xml-has-no-elements = Le XML n’a pas d’éléments.
api-the-entry-is-not-a-json = l’entrée n’est pas un objet JSON
api-the-entry-is-longer-than-100 = l’entrée dépasse 100 Ko
api-line-n-has-n-cells-but = la ligne { $n1 } a { $n2 } cellules, mais l’en-tête en a { $n3 }
api-has-no-episode = sans épisode
api-its-status-is-unknown = son statut est inconnu
api-has-no-identifier = sans identifiant
api-the-file-is-compressed-with-xz = Le fichier est compressé avec xz. Décompressez-le, ou compressez-le plutôt avec gzip.
api-the-file-is-compressed-with-bzip2 = Le fichier est compressé avec bzip2. Décompressez-le, ou compressez-le plutôt avec gzip.
api-the-file-is-compressed-with-zstd = Le fichier est compressé avec zstd. Décompressez-le, ou compressez-le plutôt avec gzip.
api-the-archive-has-another-archive-in = L’archive contient une autre archive. Décompressez-la et envoyez l’archive qu’elle contient.
api-the-file-text-of-the-archive = Le fichier « { $text } » de l’archive n’a pas été lu.
api-the-file-is-neither-a-text = Le fichier n’est un texte ni en UTF-8, ni en « { $text } ». Enregistrez-le en UTF-8.
api-the-file-has-several-profiles = Le fichier contient plusieurs profils.
api-only-that-with-the-most-views = Seul celui qui a le plus de visionnages a été lu : « { $text } ».
api-these-were-left-out-text = Ceux-ci ont été laissés de côté : « { $text } ».
api-to-import-another-one-remove-the = Pour en importer un autre, supprimez les lignes de tous les autres.
api-the-file-is-a-list-of-letterboxd = Le fichier est une liste de Letterboxd qui ne dit pas si ses films ont été vus ou restent à voir : les deux fichiers ont les mêmes colonnes. Envoyez l’archive ZIP entière.
api-the-series-has-several-anime-and = la série comprend plusieurs anime, et l’entrée ne dit pas duquel il s’agit
api-the-anime-is-not-certain = l’anime n’est pas certain
api-not-searched-because-the-file-has = pas recherché, car le fichier contient trop de titres absents du catalogue ; importez ces éléments dans un fichier à part ; éléments : { $n1 }
api-season-n-not-searched-because-the = saison { $n1 } : pas recherchée, car le fichier contient trop de titres absents du catalogue ; importez ces éléments dans un fichier à part ; éléments : { $n2 }

# Proposals

proposals-title = Entrées qui attendent votre réponse
proposals-waiting = { $count ->
    [one] { $count } entrée de vos importations attend votre réponse
   *[other] { $count } entrées de vos importations attendent votre réponse
}
proposals-none = Aucune entrée de vos importations n’attend votre réponse.
proposals-explanation = Voici ce que nous avons trouvé. Ces entrées ne sont pas encore dans votre liste, parce que seul un titre désigne l’anime ou que le fichier se contredit.
proposals-count-certain = { $count ->
    [one] { $count } certaine
   *[other] { $count } certaines
}
proposals-count-uncertain = { $count } à vérifier
proposals-count-not-found = { $count ->
    [one] { $count } absente du catalogue
   *[other] { $count } absentes du catalogue
}
proposals-accept-certain = { $count ->
    [one] Ajouter l’entrée certaine
   *[other] Ajouter les { $count } entrées certaines
}
proposals-certain = Certaines
proposals-uncertain = À vérifier
proposals-not-found = Absentes du catalogue
proposals-discard-not-found = Écarter toutes celles qui n’ont pas été trouvées
proposals-discard = Écarter
proposals-back = Retour à toutes les entrées
proposals-reason-title = Trouvé par son titre.
proposals-reason-title-alone = Seul le titre l’indique. Une série qui n’est pas un anime peut avoir le même titre.
proposals-reason-other-title = Le fichier donne ce titre, mais son numéro est celui de { $title }.
proposals-reason-other-year = Le numéro du fichier est celui de { $title }, qui date d’une autre année.
proposals-reason-other-format = Le numéro du fichier est celui de { $title }, qui a un autre format.
proposals-reason-other-id = Deux numéros du fichier sont ceux d’anime différents.
proposals-reason-several-anime = La série comprend plusieurs anime.
proposals-reason-uncertain = Le titre peut être celui de l’un de ces anime.
proposals-reason-not-found = Aucun anime n’a été trouvé.
proposals-reason-not-searched = Non recherché, car le fichier a trop de titres absents du catalogue.
proposals-added = { $count ->
    [one] { $count } entrée a été ajoutée.
   *[other] { $count } entrées ont été ajoutées.
}
proposals-changed = { $count ->
    [one] { $count } entrée a été modifiée.
   *[other] { $count } entrées ont été modifiées.
}
proposals-unchanged = { $count ->
    [one] { $count } entrée était déjà dans votre liste.
   *[other] { $count } entrées étaient déjà dans votre liste.
}
proposals-discarded = { $count ->
    [one] { $count } entrée a été écartée.
   *[other] { $count } entrées ont été écartées.
}
proposals-nothing = Rien n’a été modifié.
