# Profile

profile-parts = Parts of your settings
profile-signed-in = Signed in as { $name }
profile-about = About you
profile-part-account = Account
profile-part-security = Sign-in
profile-part-privacy = Privacy
profile-part-connections = Connections
profile-part-data = Data
profile-part-developer = Developer
profile-done-email = Your e-mail address is changed. We have sent a link to the new one, which verifies it.
profile-done-verification = We have sent a link to your e-mail address.
profile-done-picture = Your picture is saved.
profile-done-picture-removed = Your picture is removed.
profile-done-settings = Your settings are saved.
profile-done-password = Your password has been changed. You are signed out everywhere else, and all access tokens have been revoked.
profile-done-linked-a = Your AniList account is linked. The first sync runs within minutes.
profile-done-linked-b = Your MyAnimeList account is linked. The first sync runs within minutes.
profile-done-unlinked-a = Your AniList account is no longer linked. Entries already synced stay in both places.
profile-done-unlinked-b = Your MyAnimeList account is no longer linked. Entries already synced stay in both places.
profile-done-revoked = The token is revoked. It no longer works.
profile-done-disconnected = The application is disconnected. It can no longer access your data.

# Picture

picture-heading = Picture
picture-file = Image file
picture-hint = PNG, JPEG, WebP or GIF, at most 200 KB and 1,024 pixels on each side. If your profile is public, everyone sees it.
picture-button = Save picture
picture-remove = Remove picture

# E-mail address

email-verified = verified
email-not-verified = not verified yet
email-explanation = To verify this address, follow the link that we sent to it.
email-button = Send the link again
email-change = Change e-mail address
email-new = New e-mail address
email-new-hint = We will send it a link to verify it. Links in earlier mails stop working.
email-change-button = Change e-mail address

# Access tokens

token-heading = API tokens
token-explanation = With a token, your own programs can call the API as you. Keep it as safe as a password. Applications for other people should use { $oauth } instead, which asks each user for consent.
token-name-hint = At most 60 characters, for example the program that will use the token.
token-scope = Access
token-scope-read = Read only: your watch history, your name, your e-mail address and your settings
token-scope-playback = Playback: report what you watch, and nothing else
token-scope-write = Read and write: everything that you can do, including changing your password and deleting your account
token-prove = To make a token, { $prove } first.
token-prove-link = confirm that it is you
token-create = Create a token
token-new = Your new token
token-new-copy = your new token
token-new-hint = Valid until { $date }. It is not shown again.
token-use = To use a token, replace { $token } in this command with it:
token-limits = A token is valid for 30 days. You can have { $count } at a time. To revoke all of them, sign out everywhere or change your password.
token-note = { $scope }, created { $created }, expires { $expires }, { $used }
token-read-only = read only
token-playback-only = playback only
token-read-and-write = read and write
token-used = last used { $date }
token-not-used = not used yet
token-revoke = Revoke
profile-applications = Register an application if other people should use it with their accounts.
profile-applications-link = Manage your applications
profile-reference = API reference

# Connected applications

connected-heading = Connected applications
connected-none = No application can use your account.
connected-explanation = Until you disconnect them, these can read your account. Those that are not “read only” can also change your watch history and settings.
connected-more = And { $count } more. Disconnect some of these to see them.
connected-since = since { $date }
connected-since-read-only = since { $date }, read only
connected-since-playback-only = since { $date }, playback only
connected-disconnect = Disconnect

# Settings

settings-heading = Settings
settings-gender = Gender
settings-gender-unknown = Not specified
settings-gender-male = Male
settings-gender-female = Female
settings-language = Language
settings-language-hint = Pages and mails are in English, French, Italian or Japanese. Titles can be in any of these languages.
profile-public = Public profile
settings-visibility = Who can see my list and statistics
settings-visibility-private = Only me and moderators
settings-visibility-public = Everyone
settings-visibility-indexable = Everyone, and search engines may list my profile
settings-visibility-hint = If everyone can see them, they are at the address /user/ followed by your name, without private entries, notes or your e-mail address.
settings-public-profile = See your public profile
settings-button = Save settings

# Data and sign-out

profile-history = Move your watch history here from another service, or download it as a file.
profile-history-link = Import or export your watch history
profile-data = Your data
profile-data-explanation = Everything that we store about you, in one JSON file: your account, your watch history, and what is connected.
profile-data-link = Download my data
profile-sign-out = Sign out
profile-sign-out-everywhere = Sign out everywhere
profile-sessions-link = See where you are signed in
profile-sign-out-hint = “Sign out everywhere” signs you out in every browser and revokes all access tokens, including those of connected applications.

# Deletion of the account

profile-delete = Delete account
profile-delete-explanation = Deletes your account and all your data.
profile-delete-button = Delete my account
delete-title = Delete your account?
delete-explanation = This cannot be undone. It deletes:
delete-account = your account, with its name, e-mail address and settings
delete-history = your watch history
delete-trackers = the connections to your tracker accounts
delete-connections = the access of applications that you have connected
delete-applications = applications that you have registered, and their access to other users’ data
delete-name = Other users can then register with your name and your e-mail address.
delete-keep = Keep my account
delete-done = Your account has been deleted
delete-done-text = You are signed out, and all access tokens have been revoked.

# Trackers

tracker-heading = Trackers
tracker-explanation = Your watch history syncs both ways with the accounts that you connect. The image of a connected account becomes your avatar. You can disconnect accounts at any time.
tracker-off = { $tracker } is not enabled on this server.
tracker-failed-late = { $tracker } is not connected: you started in another browser or more than 10 minutes ago. Connect it again.
tracker-failed-denied = { $tracker } is not connected because access was denied there. Nothing has changed.
tracker-failed-refused = { $tracker } rejected the connection. Connect it again.
tracker-failed-misconfigured = { $tracker } rejects the credentials of this server. Contact the operator of this server.
tracker-failed-later = { $tracker } is unavailable or limits our requests. Try again later.
tracker-linked = linked
tracker-not-linked = not linked
tracker-refused = reconnect
tracker-connect = Connect { $tracker }
tracker-reconnect = Reconnect { $tracker }
tracker-disconnect = Disconnect { $tracker }
tracker-account = Linked account: { $name }
tracker-refused-explanation = { $tracker } no longer accepts the connection. Nothing is synced until you reconnect it.
tracker-first-sync = The first sync runs within minutes.
tracker-not-synced = Not synced yet.
tracker-synced = Last synced { $time }.
tracker-run = The last run, { $time }:
tracker-unchanged = Nothing had changed.
tracker-imported = Stories changed here: { $count }
tracker-exported = Entries changed there: { $count }
tracker-conflicts = Changed on both sides: { $count }
tracker-left = Waiting to be sent there: { $count }
tracker-rejected = Rejected there: { $count }
tracker-unknown = Anime not in the catalogue yet: { $count }
tracker-unknown-ids = Anime not in the catalogue yet: { $count }. Their IDs at the tracker: { $ids }
tracker-unknown-more = and others
tracker-next-run = The next run is not before { $time }.

# Texts of the API

api-must-be-a-png-jpeg-webp-or = must be a PNG, JPEG, WebP or GIF image of at most 200 KB and 1024 pixels on each side
api-tracker-no-longer-accepts-the-connection = { $tracker } no longer accepts the connection. Connect the account again.
api-the-run-ended-before-it-was = The run ended before it was done with { $tracker }. The next run continues soon.
api-the-account-was-linked-again-or = The account was linked again, or another run has started. The next run continues soon.
api-something-went-wrong-on-our-side = Something went wrong on our side. A later run tries again.
api-the-last-request-to-tracker-failed = The last request to { $tracker } failed: status { $n1 }.
api-the-last-request-to-tracker-failed-an = The last request to { $tracker } failed: an HTML page, status { $n1 }.
api-the-last-request-to-tracker-failed-no = The last request to { $tracker } failed: no connection.
api-the-last-request-to-tracker-failed-no-response = The last request to { $tracker } failed: no response in time.
api-the-last-request-to-tracker-failed-the = The last request to { $tracker } failed: the response was cut off.
