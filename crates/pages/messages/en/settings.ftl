# The display of titles and scores

display-title = Language and theme
display-link = Language, colors, titles, scores and time zone
display-kept-account = These settings are kept in your account.
display-kept-cookie = These settings are kept for a year in a cookie in this browser. When you are signed in, the settings of your account count.
display-language-browser = As my browser prefers
display-theme = Colors
display-theme-hint = The choice applies to this browser, for every account.
display-theme-device = As my device prefers
display-theme-light = Light
display-theme-dark = Dark
display-titles-hint = If an anime has no such title, another one is shown.
display-titles-page = In the language of the page
display-titles-romaji = In romaji, Japanese in Latin letters
display-titles-japanese = In Japanese
display-scores = Scores
display-scores-hint = Scores that you have already given stay as they are. They are rounded only where they are shown.
display-scores-ten = 1 to 10
display-scores-halves = 1 to 10 with halves, such as 7.5
display-scores-decimals = 1 to 10 with decimals, such as 7.8
display-scores-hundred = 1 to 100
display-scores-stars = 1 to 5 stars
display-time-zone = Time zone
display-time-zone-hint = New dates of your entries, “today” and all times on the pages are in this time zone.
display-time-zone-browser = Your browser is in { $zone }.
display-done = Your settings are saved.

# Entering a score

score-hint-halves = From 0.5 to 10 in steps of 0.5. Leave it empty for no score.
score-hint-decimals = From 0.1 to 10. Leave it empty for no score.
score-save = Save the score
score-done = The score has been saved.
api-must-be-a-number-from-0-to = must be a number from 0 to 10 with at most one decimal
api-must-be-a-number-from-0 = must be a number from 0 to 10 in steps of 0.5
