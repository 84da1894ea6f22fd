# My list

list-title = My list
list-statuses = Statuses
list-all = All
list-filters = Find and filter
list-search = Search my list
list-genre = Genre
list-all-genres = All genres
list-sort = Sort
list-sort-changed = Last change
list-sort-progress = Progress
list-apply = Apply
list-clear = Clear the filters
list-count = { $count ->
    [one] { $count } entry
   *[other] { $count } entries
}
list-empty = Your list is empty. Find an anime and add it, or import a list from another service.
list-import = Import a list
list-next = Episode { $number }
list-edit = Edit
list-undo = Undo
list-done-next = marked as watched.
list-done-undone = The change has been undone.
list-done-saved = The entry has been saved.
list-done-deleted = The entry has been deleted.
list-done-status = is now on your list as: { $status }.
quick-open = Put { $title } on my list, or change its status
list-failed = Nothing has been changed, because the service cannot be reached. Try again in a moment.
list-none = No entry matches.
list-search-hint = Title in any language
list-format = Format
list-season = Season
list-year = Year
list-any = Any
list-score-from = Score from
list-view = View
list-view-rows = Rows
list-view-compact = Compact
list-view-covers = Covers
list-select = Select
list-select-end = End the selection
list-reverse = Reverse the order
list-ascending = ascending
list-descending = descending
list-next-column = Next
list-release = Format, season
list-plus = +1: episode { $number }
list-airs-today = Ep. { $episode } today
list-airs-tomorrow = Ep. { $episode } tomorrow
list-airs-on = Ep. { $episode } on { $day }
list-behind = { $count ->
    [one] { $count } episode behind
   *[other] { $count } episodes behind
}
list-left = { $count ->
    [one] { $count } left
   *[other] { $count } left
}

# An entry

story-status = Status
story-episode = Episodes watched
story-episode-hint = { $count ->
    [one] { $count } episode has been released.
   *[other] { $count } episodes have been released.
}
story-no-episodes = The number of episodes is not known yet.
story-score = Score
story-score-hint = From 0.1 to 100. Leave it empty for no score.
story-started = Started on
story-finished = Finished on
story-date-hint = As 2016-08-26, 2016-08 or 2016.
story-date-pick = Pick a date
story-date-today = Today
story-no-score = No score
story-repeats = Times watched again
story-notes = Notes
story-private = Only I can see this entry
story-private-short = Private
story-cancel = Cancel
story-edit-title = Edit the entry
story-draft = You are signed in. The entry has not been saved yet.
story-unknown-anime = An anime that is no longer in the catalogue
story-delete-title = Delete this entry?
story-delete-question = The entry is removed from your list with its score, dates and notes. This cannot be undone.
story-delete-linked = If a linked tracker has an entry for this anime, the next synchronization adds it again. Delete it there first.
story-changed-title = The entry has changed
story-changed = The entry has changed since you opened the page, for example in another tab. Nothing was saved. These are its present values.
story-deleted-meanwhile = The entry has been deleted since you opened the page. Nothing was saved. You can add it again here.
story-unsaved-notes = The notes that you sent, which were not saved:

# Errors of the form

api-must-be-one-of-the-listed = must be one of the listed options
api-must-be-a-whole-number = must be a whole number
api-must-be-a-number-from-0-to-100 = must be a number from 0 to 100 with at most one decimal
api-must-be-a-date-from-1900 = must be a date from 1900 on: YYYY, YYYY-MM or YYYY-MM-DD, such as 2016-08-26
api-must-have-at-most-2000-characters = must have at most 2,000 characters
api-must-not-have-control-characters-other = must not have control characters other than tabs and line breaks
api-must-not-be-above-the-number = must not be above the number of released episodes
