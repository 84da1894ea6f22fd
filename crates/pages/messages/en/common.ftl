# Every page

page-skip = Skip to main content
page-navigation = Main
page-today = Today
page-list = My list
page-seasons = Seasons
page-calendar = Calendar
page-statistics = Statistics
page-songs = Songs
page-sign-in = Sign in
page-sign-up = Create account
page-account = account menu
page-my-profile = My profile
page-my-year = My year
page-settings = Settings
page-sign-out = Sign out
page-find = Find an anime or a song
page-search = Search anime
page-search-button = Search
page-start = Go to the start page
page-error-title = Error: { $title }
page-footer = Kiroku is Japanese for “record”. Its cookies only keep you signed in, protect forms, keep settings and recognize this browser.
page-footer-images = Images on this page are loaded from the servers of the catalogue’s sources.
page-footer-no-images = This page loads nothing from other sites.
page-import = Import a list
page-developers = For developers
page-applications = Your applications
page-style-guide = Style guide

# Search while typing

suggest-results = { $count ->
    [one] 1 result
   *[other] { $count } results
}
suggest-all = All results for “{ $search }”
suggest-none = Nothing matches “{ $search }”.
suggest-plan = Add “{ $title }” to your planned anime

# Sign-out without the proof that a page of this site asks for it

sign-out-question = Do you want to sign out of Kiroku in this browser?

# Dates and times

date-day = { $day } { $month ->
    [1] January
    [2] February
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] August
    [9] September
    [10] October
    [11] November
   *[12] December
} { $year }
date-month = { $month ->
    [1] January
    [2] February
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] August
    [9] September
    [10] October
    [11] November
   *[12] December
} { $year }
date-year = { $year }
date-moment = { $date }, { $time } { $zone }
wait-minutes = { $count ->
    [one] 1 minute
   *[other] { $count } minutes
}
wait-hours = { $count ->
    [one] 1 hour
   *[other] { $count } hours
}

# Errors of all pages

api-page-not-found = Page not found
