# The second factor: its section and its set-up

factor-second = Second factor
factor-explanation = With a second factor, signing in with your password also needs a code from an authenticator app. Somebody who has only your password cannot sign in.
factor-no-password = Your account has no password, so it needs no second factor: passkeys and identity providers are not followed by a code.
factor-set-up = Set up a second factor
factor-since = An authenticator app is set up since { $date }.
factor-codes-left = { $count ->
    [0] You have no recovery codes left.
    [one] You have 1 recovery code left.
   *[other] You have { $count } recovery codes left.
}
factor-new-codes = Make new recovery codes
factor-remove-hint = To use another authenticator app, remove the second factor and set it up again. Removing it ends all other sessions and all access tokens.
factor-remove = Remove the second factor
factor-removed = The second factor is removed. All other sessions have ended.
factor-set-up-title = Set up a second factor
factor-scan = Scan this code with your authenticator app.
factor-qr = QR code with the key
factor-open = Open the app on this device
factor-key = Or type this key into the app:
factor-key-copy = the key
factor-code-hint = The 6 digits that the app shows now.
factor-confirm = Turn on
factor-back = Back without a second factor
factor-added = The second factor is set up.
factor-codes-renewed = You have new recovery codes. The old ones no longer work.
factor-codes = Recovery codes
factor-codes-copy = the recovery codes
factor-codes-hint = Store these codes in a safe place, such as a password manager or on paper. They will not be shown again. Each signs you in once if you lose your authenticator app.
factor-codes-stored = I have stored them

# Kinds of factors, for moderators

factor-kinds = Ways to sign in
factor-passkey = Passkey

# The code after the password

code-title = Enter a code
code-label = Code
code-hint = The 6 digits in your authenticator app, or a recovery code.
code-lost = If you have lost both the app and the recovery codes, contact the operator of this server.
code-other = Sign in as a different user

# Errors

api-is-wrong-or-has-already-been = is wrong or has already been used
api-cannot-be-checked-on-this-server = cannot be checked on this server any more; enter a recovery code
api-is-wrong-check-that-the-clock = is wrong; check that the clock of your device is right
api-too-much-time-has-passed-sign = Too much time has passed. Sign in again.
api-too-much-time-has-passed-add = Too much time has passed. Add this new key to your app.
