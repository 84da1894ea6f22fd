# Forms

form-fault = { $subject } { $reason }.
form-invitation = Invitation
form-link = The link
form-too-many-attempts = Too many attempts. Try again in { $wait }.
form-password-hint = At least 8 characters. A few words are easier to remember than symbols.
form-save = Save
form-delete = Delete
form-kind = Kind
form-title = Title

# Copy buttons

copy-button = Copy
copy-done = Copied
copy-selected = Selected
copy-help = Selected. Copy it with your keyboard.
copy-command = the command

# Errors as pages

error-parameter = { $name }: { $reason }.
error-not-found = This page does not exist
error-not-found-help = Check the address, or search for an anime.
error-missing-help = It may have been deleted, or the address is not complete.
error-method = This address is for a form
error-method-help = It cannot be opened by itself. Open the page with the form, and send it from there.
error-too-large = This is too large
error-too-large-help = A form can have up to 64 KB. Shorten the longest text, and send it again.
error-malformed = This could not be read
error-malformed-help = Open the page again, and send its form once more.
error-invalid = Some values cannot be used
error-form-expired = This form has expired
error-form-expired-help = Nothing was changed. Open the page again, and send the form once more. Your browser must accept cookies.
error-forbidden = This is not allowed
error-changed = This has changed in the meantime
error-changed-help = Nothing was changed. Open the page again to see how it is now, and then repeat your change.
error-too-many = Too many attempts
error-too-many-help = Wait a few minutes, and try again.
error-internal = Something went wrong
error-unavailable = Kiroku cannot answer at the moment
error-unavailable-help = Nothing is lost. Try again in a moment.
error-try-again = Try again
error-open-page = Open the page again
error-browse = Browse all anime
account-unreadable = Your account cannot be read at the moment, so this page is shown without your list. Try again in a moment.

# Texts of the API

api-sign-in-first = Sign in first
api-you-must-be-signed-in-to = You must be signed in to see this page.
api-this-page-has-expired = This page has expired
api-it-has-already-been-used-or = It has already been used, or too much time has passed. Go back to the application and sign in again.
api-this-sign-in-cannot-continue = This sign-in cannot continue
api-the-application-sent-an-invalid-request = The application sent an invalid request, or its registration has changed. Go back to it and try again. If that does not help, send its developer this message:
api-does-not-belong-to-a-registered = does not belong to a registered application
api-belongs-to-an-application-that-has = belongs to an application that has changed since the page was opened
api-must-equal-a-registered-redirect-uri = must equal a registered redirect URI of the application, byte for byte
api-must-be-sent-only-once = must be sent only once
api-makes-the-request-longer-than-n = makes the request longer than { $n1 } characters
api-unauthorized = Unauthorized
api-the-access-token-is-invalid-or = The access token is invalid or has expired. Sign in again.
api-sign-in-failed = Sign-in failed
api-the-username-e-mail-address-or = The username, e-mail address or password is wrong.
api-registration-is-closed = Registration is closed.
api-is-invalid-has-expired-or-has = is invalid, has expired or has already been used; ask for a new one
api-is-required-registration-on-this-server = is required; registration on this server needs an invitation
api-this-belongs-to-another-user = This belongs to another user.
api-application-not-found = Application not found
api-calendar-not-found = Calendar not found
api-import-not-found = Import not found
api-story-not-found = Story not found
api-token-not-found = Token not found
api-already-exists = Already exists
api-something-went-wrong-on-our-side-the = Something went wrong on our side. The error has been logged.
api-moved-permanently = Moved permanently
api-paths-do-not-end-with-a = Paths do not end with a slash. Location is the address without it.
api-the-form-must-be-encoded-in = The form must be encoded in UTF-8.
api-the-body-ended-early-send-the = The body ended early. Send the whole request again.
api-the-address-is-too-long-use = The address is too long. Use at most 65,534 characters.
api-is-required = is required
api-must-be-given-only-once = must be given only once
api-must-have-two-hexadecimal-digits-after = must have two hexadecimal digits after each %
api-must-be-valid-utf-8-after = must be valid UTF-8 after percent-decoding
api-must-be-one-of-the-two = must be one of the two options
api-must-have-at-least-8-characters = must have at least 8 characters
api-must-have-at-most-4096-bytes = must have at most 4096 bytes
api-is-too-common-choose-another-password = is too common; choose another password
api-must-not-be-the-username-or = must not be the username or the e-mail address of the account
api-must-contain-only-letters-from-a = must contain only letters from a to z, digits, _ and -
api-must-have-3-to-32-characters = must have 3 to 32 characters
api-must-be-an-e-mail-address = must be an e-mail address, such as name@example.com
api-is-already-taken = is already taken
api-is-already-verified = is already verified
api-is-invalid-has-expired-or-has-already = is invalid, has expired or has already been used; request a new link
api-is-wrong = is wrong
api-must-be-a-locale-code-of = must be a locale code of 2 to 16 characters, such as en or pt-BR
api-must-have-1-to-60-characters = must have 1 to 60 characters
api-must-not-contain-invisible-characters = must not contain invisible characters
api-must-contain-a-visible-character = must contain a visible character
api-cannot-be-used-you-have-n = cannot be used: you have { $n1 } tokens already; revoke one first
api-cannot-be-registered-you-have-n = cannot be registered: you have { $n1 } applications already; delete one first
api-must-have-at-least-one-address = must have at least one address
api-must-have-at-most-10-addresses = must have at most 10 addresses
api-must-have-at-most-500-characters = must have at most 500 characters each
api-must-not-have-a-fragment = must not have a fragment (#)
api-must-contain-only-the-characters-of = must contain only the characters of a URI; percent-encode all others
api-must-be-an-absolute-uri-with = must be an absolute URI with https://, a loopback address or a private-use scheme
api-must-begin-with-https-except-on = must begin with https://, except on 127.0.0.1, [::1] and localhost
api-must-not-have-a-user-name = must not have a user name (@) before the host
api-must-contain-a-valid-host-as = must contain a valid host, as in https://example.com/callback
api-must-begin-with-https-or-with = must begin with https:// or with a private-use scheme like com.example.app:/
