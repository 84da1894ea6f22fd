statistics-title = Your statistics
statistics-as-of = As of { $time }. Planned anime count only in the first chart.
statistics-empty = Your list is empty. The statistics begin with the first anime that you add.
statistics-numbers = Numbers
statistics-anime = Anime
statistics-hours = Hours
statistics-mean-score = Average score
statistics-month = Month
statistics-by-status = By status
statistics-by-score = By your score
statistics-by-genre = By genre
statistics-by-format = By format
statistics-by-year = By year of release
statistics-by-month = By month of completion
statistics-days-watched = Days
statistics-average = Average
statistics-review = The year { $year }
statistics-scores-note = filled: yours; outline: the average scores of the same anime
statistics-disagreements = Where you disagree
statistics-disagreements-note = your score / average score
statistics-higher = { $points } above the average
statistics-lower = { $points } below the average
statistics-days = The last 365 days
statistics-days-note = { $anime ->
    [one] 1 anime finished
   *[other] { $anime } anime finished
}; the most on one day: { $most }, on { $day }
statistics-short-month = { $month ->
    [1] Jan
    [2] Feb
    [3] Mar
    [4] Apr
    [5] May
    [6] Jun
    [7] Jul
    [8] Aug
    [9] Sep
    [10] Oct
    [11] Nov
   *[12] Dec
}
