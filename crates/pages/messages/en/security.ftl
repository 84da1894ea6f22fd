security-prove = To change how you sign in, confirm first that it is you.
security-prove-button = Confirm that it is you

# Password

password-set = You can sign in with a password.
password-none = Your account has no password.
password-open = Choose a new password
password-explanation = A new password signs you out everywhere else and revokes all access tokens.
password-button = Change password
password-first-open = Set a password
password-first-explanation = You can then sign in with your name or your e-mail address and this password. It signs you out everywhere else and revokes all access tokens.
password-first-button = Set password

# Sessions

session-heading = Where you are signed in
session-explanation = If you do not recognize one of these, sign it out and change your password.
session-own = this browser
session-unknown = unknown
session-unknown-browser = Unknown browser
session-network = Network: { $network }
session-times = Signed in { $begun }; last used { $used }
session-more = And { $count } older ones. “Sign out everywhere” ends them, too.
session-ended = That browser is signed out.
