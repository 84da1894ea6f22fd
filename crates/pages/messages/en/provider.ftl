# Sign-in with an identity provider

provider-sign-in = Sign in with { $provider }
provider-only = This server takes no passwords. Sign in with its identity provider.
provider-failed-title = { $provider }: that did not work
provider-failed-expired = This attempt has expired, has already been used or began in another browser. Start again.
provider-failed-denied = You have not signed in at { $provider }.
provider-failed-refused = { $provider } sent an answer that this server cannot accept. Try again. If that does not help, tell the operator of this server.
provider-failed-unavailable = { $provider } does not answer at the moment. Try again later.
provider-failed-other-issuer = This server’s settings name { $provider } as { $expected }, but it names itself { $found }. The operator of this server must enter the second address as the issuer.
provider-failed-not-allowed = Your account at { $provider } may not be used to sign in here. Ask the operator of this server for access.
provider-failed-no-account = No account here is connected to your account at { $provider }, and this server makes no new accounts. If you have an account here, sign in another way and connect { $provider } in your settings.
provider-failed-taken = Your account at { $provider } is already connected to another account here. Sign in there and disconnect it first.
provider-failed-other-person = You have signed in at { $provider } with an account other than the connected one.
provider-failed-connected = An account at { $provider } is already connected. Disconnect it first.
provider-failed-not-again = { $provider } did not ask you to sign in again, so it cannot confirm that it is you. Use another way.
provider-failed-no-time = { $provider } does not say when you signed in there, so it cannot confirm that it is you. Use another way, such as a password or a passkey.
provider-try-again = Try again
provider-other-way = Sign in another way
provider-start = Go to the home page
provider-back-to-profile = Back to your settings

# Signing out

provider-signed-out-title = You are signed out here
provider-signed-out-next = You are now led to { $provider }, to sign out there, too.
provider-signed-out-link = Sign out of { $provider }

# First sign-in

provider-new-title = Create your account
provider-new-explanation = You are signed in at { $provider } and have no account here yet. Choose your name.
provider-new-email-hint = Not public. If { $provider } has not confirmed it, we will send you a link to verify it.
provider-new-button = Create account
provider-new-has-account = Do you already have an account here? { $sign-in }, then connect the two accounts in your settings.
provider-new-sign-in = Sign in the usual way

# Profile

provider-heading = Identity provider
provider-connected = Your account at { $provider } has been connected since { $date }. You can sign in with it.
provider-not-connected = Connect your account at { $provider } to sign in with it.
provider-connect = Connect { $provider }
provider-disconnect = Disconnect { $provider }
provider-prove = Confirm with { $provider }
provider-done-connected = Your account at the identity provider is connected. You can now sign in with it.
provider-done-disconnected = Your account at the identity provider is disconnected. You are signed out everywhere else, and all access tokens have been revoked.

# Errors

api-this-server-takes-no-passwords-sign = This server takes no passwords. Sign in with its identity provider.
api-belongs-to-another-user = belongs to another user
