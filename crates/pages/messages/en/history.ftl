# Import and export

history-title = Import and export
history-import = Import
history-import-explanation = Choose a list that you have exported from MyAnimeList, AniList, Kitsu, Simkl, Trakt, TV Time, Anime-Planet, Kiroku or another service, a spreadsheet saved as CSV, or a file with what you have watched in Jellyfin, Plex or Emby.
history-file = List file
history-file-hint = At most 4 MB and 20,000 entries. Choose the file as you have downloaded it, also a ZIP archive or a file that is compressed with gzip (.gz).
history-mode = Entries that you have here already
history-mode-merge = Merge: your progress never gets smaller, and empty fields are filled in from the file
history-mode-keep = Keep: they stay as they are
history-mode-replace = Replace: they become as in the file, even if you are further here
history-scale = Scale of the scores
history-scale-hint = Only needed if the file does not say it, such as an account export of AniList or a spreadsheet.
history-scale-file = As the file says
history-scale-3 = 1 to 3
history-scale-5 = 1 to 5
history-scale-10 = 1 to 10
history-scale-100 = 1 to 100
history-account = Account
history-account-hint = Only needed for a history of Plex with several accounts: the number after accountID.
history-preview = Preview
history-preview-hint = A preview shows what the import would do. It changes nothing.
history-imports = Recent imports, and undo
history-export = Export
history-export-explanation = Download your watch history as a file:
history-format-xml = MyAnimeList XML
history-format-xml-hint = For MyAnimeList and all services that import its lists. Private entries and anime that MyAnimeList does not have are left out.
history-format-csv = CSV
history-format-csv-hint = For spreadsheets.
history-format-json = JSON
history-format-json-hint = Has everything: for a backup, or for another Kiroku server.
history-back = Back to import and export

# Report of an import

report-preview = Preview of the import
report-preview-done = Nothing has been changed yet. This is what the import would do.
report-import = Import finished
report-import-done = Your watch history has been imported.
report-import-nothing = The file has nothing that changes your watch history.
report-import-waits = Your watch history has not changed yet, because entries of the file wait: see below.
report-undo = Undo
report-undo-explanation = You can undo this import within 7 days. Changes that you make until then stay.
report-choose-again = The file is too large to be kept in this page. To import it, choose it again.
report-kept = The file is kept in this page, so that you need not choose it again. You can also change how it is imported, and preview that.
report-title = Title
report-status = Status
report-progress = Episodes
report-score = Score
report-entries = Entries
report-file = { $count ->
    [one] The file is { $format } and has { $count } entry:
   *[other] The file is { $format } and has { $count } entries:
}
report-count-new = { $count ->
    [one] new
   *[other] new
}
report-count-changed = { $count ->
    [one] changed
   *[other] changed
}
report-count-unchanged = { $count ->
    [one] unchanged
   *[other] unchanged
}
report-count-repeated = { $count ->
    [one] repeated in the file
   *[other] repeated in the file
}
report-count-skipped = { $count ->
    [one] skipped
   *[other] skipped
}
report-count-waiting = { $count ->
    [one] not in the catalogue
   *[other] not in the catalogue
}
report-count-proposals = { $count ->
    [one] waits for your answer
   *[other] wait for your answer
}
report-proposals = Waiting for your answer
report-proposals-hint = Only a title names these anime, or the file contradicts itself. They are added once you confirm them.
report-unknown-fields = These fields of the file are not imported: { $names }.
report-unreadable-values = Values that could not be read and were left out of their entries: { $names }.
report-skipped = Skipped
report-skipped-hint = These entries cannot be used.
report-skipped-entry = Entry { $position }: { $reason }
report-waiting = Not in the catalogue
report-waiting-hint = Kiroku does not know these anime yet. Entries with an identifier at AniList or MyAnimeList are kept for a year, and added when their anime appears.
report-changed = Changed
report-new = New
report-more = And { $count } more.
report-entry = Entry { $position }
report-separator = {", "}
report-field-status = status
report-field-episode = episode
report-field-position = position in the episode
report-field-score = score
report-field-start = start date
report-field-end = end date
report-field-repeats = rewatches
report-field-notes = notes
report-field-privacy = privacy

# Recent imports

imports-title = Recent imports
imports-explanation = You can undo an import within 7 days. Entries that it added are deleted, and those that it changed get their old values. Changes that you have made since stay.
imports-none = You have not imported anything in the last 7 days.
imports-undo = Undo this import
imports-undo-question = Undo this import?
imports-undo-deletes = { $count ->
    [one] 1 entry that it added is deleted from your list.
   *[other] { $count } entries that it added are deleted from your list.
}
imports-undo-restores = { $count ->
    [one] 1 entry that it changed gets its old values.
   *[other] { $count } entries that it changed get their old values.
}
imports-undo-forgets = { $count ->
    [one] 1 entry no longer waits for its anime or your answer.
   *[other] { $count } entries no longer wait for their anime or your answer.
}
imports-undo-stays = Changes that you have made since then are kept. You can import the file again later.
imports-keep = Keep the import
imports-heading = Import of { $time }
imports-counts = It added { $added ->
    [one] 1 entry
   *[other] { $added } entries
} and changed { $changed ->
    [one] 1 entry
   *[other] { $changed } entries
} that you still have.
imports-waiting = { $count ->
    [one] 1 entry waits for its anime.
   *[other] { $count } entries wait for their anime.
}
imports-undone = The import has been undone: { $restored ->
    [one] 1 entry
   *[other] { $restored } entries
} restored, { $deleted ->
    [one] 1 entry
   *[other] { $deleted } entries
} deleted.
imports-forgotten = { $count ->
    [one] 1 entry no longer waits for its anime or your answer.
   *[other] { $count } entries no longer wait for their anime or your answer.
}
imports-kept = You have changed { $count ->
    [one] 1 entry
   *[other] { $count } entries
} since. These changes stay.

# Texts of the API

api-must-have-at-most-4-mb = must have at most 4 MB; compress a larger file with gzip
api-the-form-is-incomplete-or-malformed = The form is incomplete or malformed. Go back, reload the page and send it again.
api-the-form-must-have-each-field = The form must have each field only once.
api-list-files-on-this-page-are = List files on this page are limited to 4 MB. Compress a larger file with gzip.
api-must-be-one-of-mal-xml = must be one of mal_xml, csv, json
api-the-file-is-empty = The file is empty.
api-the-file-is-longer-than-64 = The file is longer than 64 MB.
api-the-file-is-longer-than-64-mb = The file is longer than 64 MB when unpacked.
api-the-file-is-damaged-or-incomplete = The file is damaged or incomplete: it cannot be unpacked with gzip.
api-the-file-has-more-than-20 = The file has more than 20,000 entries. Split it into several files.
api-the-file-is-a-list-of = The file is a list of manga. Only lists of anime can be imported.
api-the-xml-has-a-document-type = The XML has a document type definition (DTD), which anime lists never have.
api-the-xml-has-more-than-1 = The XML has more than 1,000,000 elements.
api-the-xml-is-nested-too-deeply = The XML is nested too deeply.
api-the-xml-is-invalid-or-ends = The XML is invalid or ends too early near line { $n1 }.
api-the-json-is-an-export-of-this = The JSON is an export of this service, but not of version 1.
api-the-json-is-invalid-or-ends = The JSON is invalid or ends too early at line { $n1 }, column { $n2 }.
api-line-n-of-the-csv-has = Line { $n1 } of the CSV has more than { $n2 } cells.
api-the-csv-has-a-cell-without = The CSV has a cell without a closing quotation mark in the row that begins at line { $n1 }.
api-the-file-does-not-state-the = The file does not state the scale of its scores. They were read as { $n1 } to { $n2 }, because the highest is { $n3 }.
api-the-scores-were-read-as-n = The scores were read as { $n1 } to { $n2 }.
api-notes-that-were-cut-after-n = Notes that were cut after { $n1 } characters: { $n2 }.
api-times-that-could-not-be-read = Times that could not be read and were ignored: { $n1 }.
api-manga-that-were-left-out-n = Manga that were left out: { $n1 }.
api-entries-that-are-not-kept-until = Entries that are not kept until their anime appears, because they have no identifier at AniList or MyAnimeList: { $n1 }.
api-entries-that-are-not-kept-because = Entries that are not kept, because at most { $n1 } entries and { $n2 } KB are kept for each user: { $n3 }.
api-no-anime-was-found = no anime was found
api-the-file-states-no-status-and = the file states no status, and the anime is not on the list
api-the-series-has-several-anime-so = the series has several anime, so only its watched episodes count
api-the-title-the-year-or-the = the title, the year or the kind is not that of the anime with this identifier; items: { $n1 }
api-season-n-the-title-the-year = season { $n1 }: the title, the year or the kind is not that of the anime with this identifier; items: { $n2 }
api-the-file-has-episode-n-but = the file has episode { $n1 }, but the anime has { $n2 } episodes
api-the-file-is-an-answer-of = The file is an answer of Plex in XML. Ask Plex for JSON, with the header Accept: application/json.
api-must-be-the-number-of-an = must be the number of an account
api-the-history-of-plex-has-several = The history of Plex has several accounts: "{ $text }". Choose one of them with the parameter account.
api-the-history-of-plex-has-no = The history of Plex has no account { $n1 }, but these: "{ $text }".
api-an-answer-of-jellyfin-emby-or = An answer of Jellyfin, Emby or Plex must have its items in the array Items, or in the array Metadata of MediaContainer.
api-watched-episodes-and-movies-in-the = Watched episodes and movies in the file: { $n1 }.
api-items-that-were-left-out-because = Items that were left out, because they were not watched or are neither episodes nor movies: { $n1 }.
api-no-anime-was-found-items-n = no anime was found; items: { $n1 }
api-season-n-no-anime-was-found = season { $n1 }: no anime was found; items: { $n2 }
api-the-anime-is-not-certain-items = the anime is not certain; items: { $n1 }
api-season-n-the-anime-is-not = season { $n1 }: the anime is not certain; items: { $n2 }
api-marked-as-no-anime-items-n = marked as no anime; items: { $n1 }
api-season-n-marked-as-no-anime = season { $n1 }: marked as no anime; items: { $n2 }
api-the-file-names-no-episode-items = the file names no episode; items: { $n1 }
api-is-not-a-valid-json-object = is not a valid JSON object; items: { $n1 }
api-season-is-missing-or-wrong-items = season is missing or wrong; items: { $n1 }
api-episode-is-missing-or-wrong-items = episode is missing or wrong; items: { $n1 }
api-title-is-missing-or-wrong-items = title is missing or wrong; items: { $n1 }
api-is-longer-than-n-kb-items = is longer than { $n1 } KB; items: { $n2 }
api-has-neither-an-identifier-nor-a = has neither an identifier nor a title
api-has-no-status = has no status
api-status-text-is-unknown = status "{ $text }" is unknown
api-anime-id-must-be-a-whole = anime_id must be a whole number from { $n1 } to { $n2 }
api-anilist-id-must-be-a-whole = anilist_id must be a whole number from { $n1 } to { $n2 }
api-mal-id-must-be-a-whole = mal_id must be a whole number from { $n1 } to { $n2 }

# Waiting entries

waiting-title = Entries that wait for their anime
waiting-count = { $count ->
    [0] No entry of your imports waits for its anime.
    [one] 1 entry of your imports waits for its anime.
   *[other] { $count } entries of your imports wait for their anime.
}
waiting-hint = They are added to your list when the catalogue gets their anime, at most a year after the import.
waiting-file = Download them as a file
waiting-untitled = Without a title
waiting-search = Search the catalogue
waiting-elsewhere = Elsewhere

# Files that cannot be read, and what was left out of lists

api-the-archive-is-damaged-or-incomplete = The archive is damaged or incomplete: it cannot be unpacked.
api-the-archive-is-encrypted-with-a = The archive is encrypted with a password. Unpack it with the password, and send the files in a new archive without one.
api-the-archive-is-longer-than-64 = The archive is longer than 64 MB when unpacked.
api-the-archive-has-no-files = The archive has no files.
api-the-archive-has-a-file-that = The archive has a file that becomes more than 100 times longer when it is unpacked. It is not read.
api-the-archive-has-more-than-500 = The archive has more than 500 files.
api-the-archive-is-packed-in-a = The archive is packed in a way that is not supported. Pack it again as a usual ZIP archive.
api-the-list-in-the-file-is = The list in the file is empty.
api-the-file-is-a-workbook-of = The file is a workbook of a spreadsheet program. Save it as CSV, and send that.
api-the-file-is-a-pickle-of = The file is a pickle of Python, as Trackma writes it. It could contain any code, so it is not read. Export the list from the service that Trackma works with.
api-the-file-is-a-7z-archive = The file is a 7z archive. Unpack it and send the list that it contains.
api-the-file-is-a-rar-archive = The file is a RAR archive. Unpack it and send the list that it contains.
api-the-file-is-a-database-export = The file is a database. Export the list from the program that wrote it.
api-the-file-is-a-pdf-document = The file is a PDF document, not a list.
api-the-file-is-a-picture-not = The file is a picture, not a list.
api-the-file-is-not-a-text-file-it = The file is not a text file: it has NUL bytes.
api-the-file-is-not-a-text-file = The file is not a text file.
api-the-file-is-a-web-page = The file is a web page, not a list. Use the export of the service instead of saving its page.
api-the-file-has-more-than-200 = The file has more than 200,000 entries and episodes. Split it into several files.
api-series-and-movies-that-are-not = Series and movies that are not anime that were left out: { $n1 }.
api-games-books-and-other-media-that = Games, books and other media that were left out: { $n1 }.
api-special-episodes-that-were-left-out = Special episodes that were left out: { $n1 }.
api-episodes-and-movies-that-were-not = Episodes and movies that were not watched that were left out: { $n1 }.
api-anime-without-a-watched-episode-that = Anime without a watched episode that were left out: { $n1 }.
api-anime-that-the-user-does-not = Anime that the user does not want to watch that were left out: { $n1 }.
api-works-without-a-status-that-were = Works without a status that were left out: { $n1 }.
api-dates-of-which-the-file-does = Dates of which the file does not tell whether the day or the month is first, so that only the year was taken: { $n1 }.
api-the-format-of-this-json-is-not = The format of this JSON is not known. Its first fields are "{ $text }".
api-the-file-is-not-an-xml-json = The file is not an XML, JSON or CSV file that can be imported. The first line of CSV must name the columns: status, and anime_id, anilist_id, mal_id or title. Its first cells are "{ $text }".
api-the-xml-is-of-no-format = The XML is of no format that is known. The root element of anime lists is myanimelist, and that of the file is "{ $text }".
api-the-format-of-this-json-is = The format of this JSON is not known.
api-the-archive-has-a-file-with = The archive has a file with the name "{ $text }", which leaves its folder. It is not read.
api-the-archive-is-not-of-a = The archive is not of a list that is known. Its files are "{ $text }".
api-the-archive-has-several-lists-send = The archive has several lists. Send each of them alone: "{ $text }".
api-ratings-of-series-and-episodes-which = Ratings of series and episodes, which do not say what was watched, that were left out: { $n1 }.
api-lists-of-imdb-do-not-say = Lists of IMDb do not say what was watched, so titles without a rating of your own are planned.
api-the-file-is-one-page-of = The file is one page of the list. Import the other pages, too.
api-trailers-previews-and-views-of-less = Trailers, previews and views of less than two minutes that were left out: { $n1 }.
api-earlier-views-of-the-same-title = Earlier views of the same title that were left out: { $n1 }.
api-the-dates-do-not-tell-whether = The dates do not tell whether the day or the month is first, so only the years were taken.
api-is-in-no-list-and-has = is in no list, and has not been watched
api-the-export-is-incomplete-trakt-reports = The export is incomplete: Trakt reports errors in its file _errors.json.
api-has-neither-a-series-nor-a = has neither a series nor a movie
api-the-file-does-not-say-which = the file does not say which anime it is about
api-rows-about-lists-and-collections-that = Rows about lists and collections that were left out: { $n1 }.
api-the-titles-of-the-watched-episodes = The titles of the watched episodes are too long together. Split the file into several ones.
api-the-json-has-a-field-twice = The JSON has a field twice, or too many fields.
api-the-file-has-another-shape-than = The file has another shape than its format.
api-the-file-is-the-library-of = The file is the library of Taiga. Its numbers are those of the service in the name of its folder, which the file does not state. Use Taiga's export to MyAnimeList XML instead.
api-the-file-is-a-list-of-notify = The file is a list of notify.moe, which has only that service's own identifiers, and no titles, so that its anime cannot be found.
api-the-file-does-not-number-the = The file does not number the episodes, so the number of watched episodes, special ones included, was taken as the current episode.
api-the-file-names-no-episode = the file names no episode
api-the-json-is-an-export-of = The JSON is an export of this service, but has no stories.
api-the-xml-has-an-entry-with = The XML has an entry with more than 200,000 elements and attributes.
api-the-xml-has-no-elements = The XML has no elements.
api-the-entry-is-not-a-json = the entry is not a JSON object
api-the-entry-is-longer-than-100 = the entry is longer than 100 KB
api-line-n-has-n-cells-but = line { $n1 } has { $n2 } cells, but the header has { $n3 }
api-has-no-episode = has no episode
api-its-status-is-unknown = its status is unknown
api-has-no-identifier = has no identifier
api-the-file-is-compressed-with-xz = The file is compressed with xz. Unpack it, or compress it with gzip instead.
api-the-file-is-compressed-with-bzip2 = The file is compressed with bzip2. Unpack it, or compress it with gzip instead.
api-the-file-is-compressed-with-zstd = The file is compressed with zstd. Unpack it, or compress it with gzip instead.
api-the-archive-has-another-archive-in = The archive has another archive in it. Unpack it, and send the archive inside.
api-the-file-text-of-the-archive = The file "{ $text }" of the archive was not read.
api-the-file-is-neither-a-text = The file is neither a text in UTF-8 nor in "{ $text }". Save it as UTF-8.
api-the-file-has-several-profiles = The file has several profiles.
api-only-that-with-the-most-views = Only that with the most views was read: "{ $text }".
api-these-were-left-out-text = These were left out: "{ $text }".
api-to-import-another-one-remove-the = To import another one, remove the rows of all others.
api-the-file-is-a-list-of-letterboxd = The file is a list of Letterboxd that does not say whether its movies were watched or are planned: both files have the same columns. Send the whole ZIP archive.
api-the-series-has-several-anime-and = the series has several anime, and the entry does not say which one is meant
api-the-anime-is-not-certain = the anime is not certain
api-not-searched-because-the-file-has = not searched, because the file has too many titles that are not in the catalogue; import these items in a file of their own; items: { $n1 }
api-season-n-not-searched-because-the = season { $n1 }: not searched, because the file has too many titles that are not in the catalogue; import these items in a file of their own; items: { $n2 }

# Proposals

proposals-title = Entries that wait for your answer
proposals-waiting = { $count ->
    [one] 1 entry of your imports waits for your answer
   *[other] { $count } entries of your imports wait for your answer
}
proposals-none = No entry of your imports waits for your answer.
proposals-explanation = We found these. They are not on your list yet, because only a title names the anime, or because the file contradicts itself.
proposals-count-certain = { $count } certain
proposals-count-uncertain = { $count } to look at
proposals-count-not-found = { $count } not in the catalogue
proposals-accept-certain = { $count ->
    [one] Add the certain one
   *[other] Add all { $count } certain ones
}
proposals-certain = Certain
proposals-uncertain = To look at
proposals-not-found = Not in the catalogue
proposals-discard-not-found = Discard all that were not found
proposals-discard = Discard
proposals-back = Back to all entries
proposals-reason-title = Found by its title.
proposals-reason-title-alone = Only the title says so. A show that is not an anime can have the same title.
proposals-reason-other-title = The file says this title, but its number belongs to { $title }.
proposals-reason-other-year = The number in the file belongs to { $title }, which is from another year.
proposals-reason-other-format = The number in the file belongs to { $title }, which has another format.
proposals-reason-other-id = Two numbers in the file belong to different anime.
proposals-reason-several-anime = The series has several anime.
proposals-reason-uncertain = The title may be that of one of these.
proposals-reason-not-found = No anime was found.
proposals-reason-not-searched = Not searched, because the file has too many titles that are not in the catalogue.
proposals-added = { $count ->
    [one] 1 entry has been added.
   *[other] { $count } entries have been added.
}
proposals-changed = { $count ->
    [one] 1 entry has been changed.
   *[other] { $count } entries have been changed.
}
proposals-unchanged = { $count ->
    [one] 1 entry was on your list already.
   *[other] { $count } entries were on your list already.
}
proposals-discarded = { $count ->
    [one] 1 entry has been discarded.
   *[other] { $count } entries have been discarded.
}
proposals-nothing = Nothing has been changed.
