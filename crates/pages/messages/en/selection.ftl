# The selection of entries of a list

selection-title = Change selected entries
selection-selected = selected
selection-keep = Leave as it is
selection-score-hint = Leave it empty to keep the scores. 0 removes them.
selection-private = Visibility
selection-make-private = Only I can see them
selection-make-public = As my profile
selection-apply = Apply
selection-remove = Remove from list…
selection-all = Select all on this page
selection-back = Back to the list
selection-done-changed = { $count ->
    [0] No entry has been changed.
    [one] 1 entry has been changed.
   *[other] { $count } entries have been changed.
}
selection-done-deleted = { $count ->
    [0] No entry has been deleted.
    [one] 1 entry has been deleted.
   *[other] { $count } entries have been deleted.
}
selection-done-undone = { $count ->
    [0] There is nothing left to undo.
    [one] 1 entry has been restored.
   *[other] { $count } entries have been restored.
}
selection-skipped-title = Some entries stay as they are
selection-skipped = { $count ->
    [one] 1 entry was skipped:
   *[other] { $count } entries were skipped:
}
selection-changed-meanwhile = has changed since you opened the list, for example in another tab.
selection-changed-since = has changed since. The later changes stay.
selection-not-on-list = is not on your list.
selection-not-in-catalogue = can only be deleted.
selection-delete-title = Delete these entries?
selection-delete-question = { $count ->
    [one] 1 entry is removed from your list with its score, dates and notes. You can undo this on the page that follows.
   *[other] { $count } entries are removed from your list with their scores, dates and notes. You can undo this on the page that follows.
}
selection-delete-linked = If a linked tracker has entries for these anime, the next synchronization adds them again. Delete them there first.
selection-invalid-title = Nothing has been changed
selection-invalid = The form is invalid. Go back and reload the page.
selection-none = Go back and select at least one entry.
selection-too-many = At most { $count } entries can be selected at a time. Go back and select fewer.
selection-no-change = Go back and choose a status, a score or a visibility for the selected entries.

# Views and orders

list-sort-started = Start date
list-sort-finished = Finish date
list-sort-airing = Airing day

# Keyboard shortcuts

shortcuts-title = Keyboard shortcuts
shortcuts-where = The keys work while an entry of the list, or a control in it, has the focus.
shortcuts-next = Next entry
shortcuts-previous = Previous entry
shortcuts-episode = Mark the next episode as watched
shortcuts-select = Select the entry
shortcuts-search = Search anime and songs
shortcuts-help = Show this help
shortcuts-close = Close
