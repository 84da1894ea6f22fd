# The review of a year

review-title = { $year } in anime: { $name }
review-title-own = Your { $year } in anime
review-summary = { $anime ->
    [one] 1 anime finished
   *[other] { $anime } anime finished
}, with { $episodes ->
    [one] 1 episode
   *[other] { $episodes } episodes
} in { $hours ->
    [one] 1 hour
   *[other] { $hours } hours
}.
review-nothing = No anime with a date of completion in { $year }.
review-hint = An anime counts in the year in which it was finished for the first time, with the episodes of that viewing. Anime without a date of completion count in no year.
review-favorites = Favorites
review-ends = First and last
review-first = First of the year
review-last = Last of the year
review-finished = Finished
review-more = And { $count } more, in the list
review-share = Page to share
review-make-public = Make your profile public to share this page
review-years = Years in review
review-picture = Download as a picture
review-address = the address of the page to share
review-highest = The highest score went to { $title }.
review-month-unknown = Some time in the year
