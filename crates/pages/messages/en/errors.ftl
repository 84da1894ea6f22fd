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

# Texts of the API

api-sign-in-first = Sign in first
api-you-must-be-signed-in-to = You must be signed in to see this page.
api-this-page-has-expired = This page has expired
api-it-has-already-been-used-or = It has already been used, or too much time has passed. Go back to the application and log in again.
api-this-login-cannot-continue = This login cannot continue
api-the-application-sent-an-invalid-request = The application sent an invalid request, or its registration has changed. Go back to it and try again. If that does not help, send its developer this message:
api-does-not-belong-to-a-registered = does not belong to a registered application
api-belongs-to-an-application-that-has = belongs to an application that has changed since the page was opened
api-must-equal-a-registered-redirect-uri = must equal a registered redirect URI of the application, byte for byte
api-must-be-sent-only-once = must be sent only once
api-makes-the-request-longer-than-n = makes the request longer than { $n1 } characters
api-invalid-parameters = Invalid parameters
api-unauthorized = Unauthorized
api-the-access-token-is-invalid-or = The access token is invalid or has expired. Sign in again.
api-sign-in-failed = Sign-in failed
api-the-username-e-mail-address-or = The username, e-mail address or password is wrong.
api-forbidden = Forbidden
api-registration-is-closed = Registration is closed.
api-is-invalid-has-expired-or-has = is invalid, has expired or has already been used; ask for a new one
api-is-required-registration-on-this-server = is required; registration on this server needs an invitation
api-this-form-has-expired-or-comes = This form has expired or comes from another site. Go back, reload the page and try again. Your browser must accept cookies.
api-this-belongs-to-another-user = This belongs to another user.
api-no-resource-has-this-identifier = No resource has this identifier.
api-application-not-found = Application not found
api-calendar-not-found = Calendar not found
api-import-not-found = Import not found
api-story-not-found = Story not found
api-token-not-found = Token not found
api-already-exists = Already exists
api-precondition-failed = Precondition failed
api-the-resource-has-changed-since-you = The resource has changed since you read it. Fetch it again and retry.
api-too-many-requests = Too many requests
api-too-many-attempts-wait-for-the = Too many attempts. Wait for the number of seconds in the Retry-After header.
api-service-unavailable = Service unavailable
api-the-tracker-is-unavailable-or-limits = The tracker is unavailable or limits requests. Try again after the number of seconds in the Retry-After header.
api-the-database-is-temporarily-unavailable-try = The database is temporarily unavailable. Try again in a moment.
api-other-requests-are-changing-the-same = Other requests are changing the same data. Try again in a moment.
api-the-request-took-too-long-and = The request took too long and was stopped. Try again, or send less data at once.
api-internal-server-error = Internal server error
api-something-went-wrong-on-our-side-the = Something went wrong on our side. The error has been logged.
api-moved-permanently = Moved permanently
api-paths-do-not-end-with-a = Paths do not end with a slash. Location is the address without it.
api-malformed-body = Malformed body
api-the-form-must-be-encoded-in = The form must be encoded in UTF-8.
api-the-body-ended-early-send-the = The body ended early. Send the whole request again.
api-malformed-request = Malformed request
api-the-address-is-too-long-use = The address is too long. Use at most 65,534 characters.
api-not-found = Not found
api-no-endpoint-has-this-path-the = No endpoint has this path. The API reference is at /reference and /v1/openapi.json.
api-method-not-allowed = Method not allowed
api-this-path-does-not-support-this = This path does not support this method. The Allow header lists the methods that it supports.
api-body-too-large = Body too large
api-request-bodies-are-limited-to-64 = Request bodies are limited to 64 KB.
api-unsupported-media-type = Unsupported media type
api-this-page-accepts-only-its-own = This page accepts only its own form (application/x-www-form-urlencoded).
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
