# Players

profile-players-link = Set up your players

players-title = Players
players-explanation = A player tells Kiroku what you watch, and your list follows. Each player sends its messages to an address of its own.
players-own = Your players
players-latest = last message: { $time }
players-latest-unknown = no message in the last 30 days
players-latest-none = no message yet
players-add = Add a player
players-add-button = Add
players-name-hint = At most 40 characters. The change history of an entry shows it.
players-kind-jellyfin = Jellyfin
players-kind-plex = Plex
players-kind-emby = Emby
players-kind-kodi = Kodi
players-kind-mpv = mpv
players-kind-other = Another program or a script
players-plays = What it plays
players-plays-anime = Only anime
players-plays-mixed = Other things, too
players-plays-hint = If it plays other things, too, Kiroku asks once before it counts a series that is known by its name alone and is not on your list.
players-limit = You can have up to { $count } players.
players-back = Back to your players

# Series whose anime is not known, and choices

players-unmatched = Which anime is this?
players-unmatched-explanation = Kiroku is not sure about these. Your answer also counts for the other episodes of the season. They are kept for 30 days.
players-unmatched-more = And { $count } more. They appear when you have answered these.
players-others = { $count ->
    [one] { $count } series that is probably no anime
   *[other] { $count } series that are probably no anime
}
players-others-explanation = They come from a player that plays other things, too, and Kiroku does not ask about them. If one is an anime, choose it here.
players-guess-one = Is this the anime { $title }?
players-kept = { $count ->
    [one] { $count } episode is kept
   *[other] { $count } episodes are kept
}
players-questions = { $count ->
    [one] { $count } series waits for your answer
   *[other] { $count } series wait for your answer
}
players-guesses = Is it one of these?
players-this-one = This one
players-other-anime = Other anime
players-not-an-anime = Not an anime
players-choices = Your choices
players-choices-explanation = Messages about these use your choice. If you take one back, Kiroku decides again.
players-chosen-none = not an anime
players-chosen-part = from episode { $first } on, which is episode { $episode } of the anime
players-take-back = Take back
players-movie = movie
players-no-season = without a season
players-season = season { $season }
players-episode = episode { $episode }
players-season-episode = season { $season }, episode { $episode }
players-series-title = Choose the anime
players-series-explanation = Search for the anime, and choose it. Your choice counts for all episodes of the season.
players-results-none = No anime was found. Try another spelling.
players-anime = Anime
players-anime-episode = Episode of the anime
players-is-episode = Episode { $episode } of the season is this episode. If one season has several anime, choose each of them with its own episode.
players-movie-is-episode = The movie is this episode of the anime.
players-episodes = { $count ->
    [one] 1 episode
   *[other] { $count } episodes
}

# Confirmations

players-done-applied = { $count ->
    [one] Your choice is saved, and the episode is marked in your list.
   *[other] Your choice is saved, and { $count } episodes are marked in your list.
}
players-done-rejected = What this match has changed in your list is taken back. Which anime is it?
players-done-kept = Your list stays as it is, because the entry has changed since. Please check it. Which anime is it?
players-done-chosen = Your choice is saved.
players-done-not-an-anime = Your choice is saved. Messages about this change nothing.
players-done-taken-back = Your choice is taken back.
players-done-removed = The player is removed. Its address no longer works.
players-done-added = The player is added. Set it up now.
players-done-saved = The settings are saved.
players-done-renewed = The player has a new address. The earlier one no longer works.

# A player

players-set-up = Set up { $kind }
players-address = Address
players-address-secret = Anyone who knows this address can change your list. A new address ends this one at once. So do a new password and signing out everywhere.
players-address-ended = The address has ended with your earlier password. Create a new one, and set it up in the player.
players-messages = Messages
players-waiting = No message has come yet.
players-waiting-here = Play something: the message appears here by itself.
players-look-again = Look again
players-no-messages = No message has come in the last 30 days.
players-messages-explanation = The last 50 messages that changed something or could not be used:
players-message = Message
players-fix-wrong = Choose another anime
players-not-this = Not this one
players-users = Users of the server
players-users-question = Which of them are you? Until you choose, messages are kept for a day and change nothing.
players-users-explanation = Only the messages of the chosen user count.
players-user-named = you
players-user-button = This is me
players-settings = Settings
players-settings-explanation = They can wait until the first message has come.
players-settings-link = Change the settings
players-server-user = Your name on the server
players-server-user-hint = Only messages about this user count. Leave it empty if the player has no users.
players-percent = Percentage that counts as watched
players-percent-hint = 50 to 100. An episode counts as watched when this part of it has been played.
players-private = Make new entries private
players-again = Start completed anime again
players-again-hint = When you watch episode 1 of a completed anime, you watch it again from the start.
players-libraries = Libraries with anime
players-libraries-hint = One name on each line, at most 20. Messages about other libraries then change nothing. Plex and Tautulli send the name of the library.
players-takes-back = Take an episode back when it is marked as not watched
players-takes-back-hint = Only the last watched episode of an anime is taken back.
players-takes-ratings = Take over ratings from the server
players-takes-ratings-hint = The rating of a movie, a season or a series becomes the score of an anime on your list.
players-only-listed = Only anime that are on my list already
players-end = New address or removal
players-end-explanation = A removed player can change nothing any more. Your list stays as it is.
players-remove = Remove the player

# Outcomes of messages

players-outcome-watched = Marked as watched:
players-outcome-completed = Marked as watched and completed:
players-outcome-started-again = Started again:
players-outcome-position-kept = Position kept:
players-outcome-already-watched = Watched before:
players-outcome-taken-back = Marked as not watched:
players-outcome-not-last-watched = Not the last watched episode:
players-outcome-rated = Rated:
players-outcome-already-rated = Rated before:
players-outcome-not-finished = Not watched to the end:
players-outcome-no-such-episode = The anime has no such episode:
players-outcome-end-unknown = The number of its episodes is not known.
players-outcome-no-match = No anime was found.
players-outcome-not-certain = Several anime are possible.
players-outcome-waits = Waits for your answer, because the player plays other things, too.
players-outcome-differs = Waits for your answer, because earlier episodes of the season were those of another anime.
players-outcome-not-listed = Not on your list:
players-outcome-not-an-anime = You chose that this is not an anime.
players-outcome-not-an-episode = This is neither an episode nor a movie.
players-outcome-other-event = Events of this kind change no list.
players-outcome-unusable = The title or the episode is missing or wrong.
players-outcome-other-user = This is about another user of the server.
players-outcome-other-library = This is about another library.
players-outcome-no-user-named = Kept for a day, until you choose your user of the server.
players-outcome-not-searched = The title was not searched, because there was too much to search.

# The entry of an anime

players-changed = The latest change came from the player { $player }.

# Instructions

players-choose = For { $field }, choose { $values }.
players-template = Template
players-template-copy = the template
players-jellyfin-install = In the dashboard, install the plugin { $plugin } from the catalogue, and restart the server.
players-jellyfin-add = In the settings of the plugin, press { $button }, and paste the address as { $field }.
players-jellyfin-template = Paste the text below as { $field }, and save. No header is needed.
players-plex = With Plex Pass: open { $menu } in your Plex account, and add the address.
players-tautulli = Without Plex Pass, Tautulli can send the messages:
players-tautulli-add = In Tautulli, open { $menu }, add the agent { $agent }, and paste the address as { $field }.
players-tautulli-data = Open { $tab }, paste the text below as { $field } of each of these triggers, and save.
players-emby-add = Open { $menu }, add { $kind }, and paste the address.
players-emby-events = Choose all events about playback, and the one about items that are marked as played. Save.
players-mpv-script = Save the script { $script } from Kiroku’s repository in the folder { $folder } of mpv.
players-mpv-options = Save the line below as { $file } in mpv’s folder.
players-options-copy = the line
players-kodi = Let an add-on that runs commands run this one when a video ends, with the name of the video’s file:
players-other = Any program or script can send a message when a video ends, such as this one:
players-command-hint = Instead of the file name, a message can have the title, the season and the episode.

# Texts of the API

api-player-not-found = Player not found
api-cannot-be-used-you-have-n-players = cannot be used: you have { $n1 } players already; remove one first
api-cannot-be-chosen-you-have-1000 = cannot be chosen: you have 1,000 choices already; take one back first
api-must-have-1-to-40-characters = must have 1 to 40 characters
api-must-have-1-to-200-characters = must have 1 to 200 characters
api-must-have-at-most-1000-characters = must have at most 1,000 characters
api-message-not-found = Message not found
api-must-have-at-most-20-lines = must have at most 20 lines
api-must-be-the-number-of-a = must be the number of a season, movie or none
