# The selection of entries of a list

selection-title = Modifier la sélection
selection-selected = dans la sélection
selection-keep = Ne pas changer
selection-score-hint = Laissez vide pour garder les notes. 0 les supprime.
selection-private = Visibilité
selection-make-private = Visible par moi uniquement
selection-make-public = Comme mon profil
selection-apply = Appliquer
selection-remove = Retirer de la liste…
selection-all = Tout sélectionner sur cette page
selection-back = Retour à la liste
selection-done-changed = { $count ->
    [0] Aucune entrée n’a été modifiée.
    [one] { $count } entrée a été modifiée.
   *[other] { $count } entrées ont été modifiées.
}
selection-done-deleted = { $count ->
    [0] Aucune entrée n’a été supprimée.
    [one] { $count } entrée a été supprimée.
   *[other] { $count } entrées ont été supprimées.
}
selection-done-undone = { $count ->
    [0] Il n’y a plus rien à annuler.
    [one] { $count } entrée a été rétablie.
   *[other] { $count } entrées ont été rétablies.
}
selection-skipped-title = Certaines entrées restent inchangées
selection-skipped = { $count ->
    [one] { $count } entrée a été ignorée :
   *[other] { $count } entrées ont été ignorées :
}
selection-changed-meanwhile = a changé depuis que vous avez ouvert la liste, par exemple dans un autre onglet.
selection-changed-since = a changé depuis. Les modifications ultérieures sont conservées.
selection-not-on-list = n’est pas dans votre liste.
selection-not-in-catalogue = peut seulement être supprimé.
selection-delete-title = Supprimer ces entrées ?
selection-delete-question = { $count ->
    [one] { $count } entrée est retirée de votre liste avec sa note, ses dates et ses remarques. Vous pourrez annuler cette action sur la page suivante.
   *[other] { $count } entrées sont retirées de votre liste avec leurs notes, leurs dates et leurs remarques. Vous pourrez annuler cette action sur la page suivante.
}
selection-delete-linked = Si un service de suivi lié contient des entrées pour ces anime, la prochaine synchronisation les ajoutera de nouveau. Supprimez-les d’abord là-bas.
selection-invalid-title = Rien n’a été modifié
selection-invalid = Le formulaire n’est pas valide. Revenez en arrière et rechargez la page.
selection-none = Revenez en arrière et sélectionnez au moins une entrée.
selection-too-many = Vous pouvez sélectionner au plus { $count } entrées à la fois. Revenez en arrière et réduisez la sélection.
selection-no-change = Revenez en arrière et choisissez un statut, une note ou une visibilité pour les entrées sélectionnées.

# Views and orders

list-sort-started = Date de début
list-sort-finished = Date de fin
list-sort-airing = Jour de diffusion

# Keyboard shortcuts

shortcuts-title = Raccourcis clavier
shortcuts-where = Les touches fonctionnent lorsqu’une entrée de la liste, ou un de ses boutons, est active.
shortcuts-next = Entrée suivante
shortcuts-previous = Entrée précédente
shortcuts-episode = Marquer l’épisode suivant comme vu
shortcuts-select = Sélectionner l’entrée
shortcuts-search = Rechercher un anime ou une chanson
shortcuts-help = Afficher cette aide
shortcuts-close = Fermer
