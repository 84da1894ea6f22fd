# My list

list-title = Ma liste
list-statuses = Statuts
list-all = Tout
list-filters = Rechercher et filtrer
list-search = Rechercher dans ma liste
list-genre = Genre
list-all-genres = Tous les genres
list-sort = Trier
list-sort-changed = Dernière modification
list-sort-progress = Progression
list-apply = Appliquer
list-clear = Effacer les filtres
list-count = { $count ->
    [one] { $count } entrée
   *[other] { $count } entrées
}
list-empty = Votre liste est vide. Trouvez un anime et ajoutez-le, ou importez une liste d’un autre service.
list-import = Importer une liste
list-next = Épisode { $number }
list-edit = Modifier
list-undo = Annuler
list-done-next = marqué comme vu.
list-done-undone = La modification a été annulée.
list-done-saved = L’entrée a été enregistrée.
list-done-deleted = L’entrée a été supprimée.
list-done-status = est maintenant dans votre liste : { $status }.
quick-open = Ajouter { $title } à ma liste, ou changer son statut
list-failed = Rien n’a été modifié, car le service est injoignable. Réessayez dans un instant.
list-none = Aucune entrée ne correspond.
list-search-hint = Titre dans n’importe quelle langue
list-format = Format
list-season = Saison
list-year = Année
list-any = Indifférent
list-score-from = Note à partir de
list-view = Affichage
list-view-rows = Lignes
list-view-compact = Compact
list-view-covers = Couvertures
list-select = Sélectionner
list-select-end = Terminer la sélection
list-reverse = Inverser l’ordre
list-ascending = ordre croissant
list-descending = ordre décroissant
list-next-column = Suite
list-release = Format, saison
list-plus = +1 : épisode { $number }
list-airs-today = Ép. { $episode } aujourd’hui
list-airs-tomorrow = Ép. { $episode } demain
list-airs-on = Ép. { $episode } { $day }
list-behind = { $count } ép. de retard
list-left = encore { $count } ép.

# An entry

story-status = Statut
story-episode = Épisodes vus
story-episode-hint = { $count ->
    [one] { $count } épisode est sorti.
   *[other] { $count } épisodes sont sortis.
}
story-no-episodes = Le nombre d’épisodes n’est pas encore connu.
story-score = Note
story-score-hint = De 0,1 à 100. Laissez vide pour ne pas noter.
story-started = Commencé le
story-finished = Terminé le
story-date-hint = Sous la forme 2016-08-26, 2016-08 ou 2016.
story-date-pick = Choisir une date
story-date-today = Aujourd’hui
story-no-score = Aucune note
story-repeats = Nombre de revisionnages
story-notes = Remarques
story-private = Je suis seul(e) à voir cette entrée
story-private-short = Privé
story-cancel = Annuler
story-edit-title = Modifier l’entrée
story-draft = Vous êtes connecté. L’entrée n’est pas encore enregistrée.
story-unknown-anime = Un anime qui n’est plus dans le catalogue
story-delete-title = Supprimer cette entrée ?
story-delete-question = L’entrée est retirée de votre liste avec sa note, ses dates et ses remarques. Cette action est définitive.
story-delete-linked = Si un service de suivi lié contient une entrée pour cet anime, la prochaine synchronisation l’ajoutera de nouveau. Supprimez-la d’abord là-bas.
story-changed-title = L’entrée a changé
story-changed = L’entrée a changé depuis que vous avez ouvert la page, par exemple dans un autre onglet. Rien n’a été enregistré. Voici ses valeurs actuelles.
story-deleted-meanwhile = L’entrée a été supprimée depuis que vous avez ouvert la page. Rien n’a été enregistré. Vous pouvez l’ajouter de nouveau ici.
story-unsaved-notes = Les remarques que vous avez envoyées et qui n’ont pas été enregistrées :

# Errors of the form

api-must-be-one-of-the-listed = doit être l’une des options proposées
api-must-be-a-whole-number = doit être un nombre entier
api-must-be-a-number-from-0-to-100 = doit être un nombre de 0 à 100 avec au plus une décimale
api-must-be-a-date-from-1900 = doit être une date à partir de 1900 : AAAA, AAAA-MM ou AAAA-MM-JJ, par exemple 2016-08-26
api-must-have-at-most-2000-characters = doit comporter au plus 2 000 caractères
api-must-not-have-control-characters-other = ne doit pas contenir de caractères de contrôle autres que des tabulations et des sauts de ligne
api-must-not-be-above-the-number = ne doit pas dépasser le nombre d’épisodes sortis
