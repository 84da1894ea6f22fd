# Accounts

account-name = Name
account-email = E-mail address
account-password = Password
account-new-password = New password
account-signed-out-everywhere = You are signed out everywhere, and all access tokens have been revoked.

# Sign up and sign in

sign-up-name-hint = 3 to 32 characters: letters from a to z, digits, _ and -. Your name is public.
sign-up-email-hint = Not public. We will send you a link to verify it.
sign-up-has-account = Already have an account? { $sign-in }.
sign-up-closed = This server accepts no new accounts.
sign-up-needs-invitation = You need an invitation to create an account. Open the link of your invitation.
sign-up-invalid-invitation = The invitation is invalid, has expired or has already been used. Ask for a new one.
sign-in-name = Name or e-mail address
sign-in-sign-up = Create an account
sign-in-draft = Your session has ended. The entry has not been saved, but what you typed is kept. Sign in to continue.
door-word = Kiroku keeps the record of the anime you watch, episode by episode, with your scores and your notes.

# Forgotten password

forgot-title = Forgot your password?
forgot-hint = The address of your account. We will send it a link to choose a new password.
forgot-button = Send me a link
forgot-back = Back to sign in
forgot-sent-title = Check your e-mail
forgot-sent = If an account uses this address, we have sent a link to it.
forgot-sent-hint = The link expires after 1 hour. If you do not find it, check your spam folder or try another address.
reset-title = Choose a new password
reset-explanation = You will be signed out everywhere.
reset-button = Set password
reset-again = Request another link
reset-done = Your password has been changed

# Verification of the e-mail address

verify-title = Verify your e-mail address
verify-explanation = Select the button to confirm your e-mail address.
verify-button = Verify my e-mail address
verify-again = You can request another link in { $profile }.
verify-again-profile = your settings
verify-done = Your e-mail address is verified
verify-profile = Go to your settings

# Consent to an application

consent-title = Sign in with Kiroku
consent-asks = { $application } wants to access your account, { $user }.
consent-owner = It was registered by { $owner }.
consent-abilities = What it can do
consent-read = Read your watch history, your name, your e-mail address and your settings
consent-write = Change your watch history and your settings
consent-playback = Report what you watch
consent-write-limits = It cannot change your password or trackers, or delete your account.
consent-read-limits = It cannot change anything.
consent-playback-limits = It cannot read your account, and cannot change anything else.
consent-days = It has access for { $count } days, or until you disconnect it in your settings.
consent-return = You will then return to { $destination }.
consent-allow = Allow
consent-deny = Deny
consent-other = Not { $user }?
consent-other-button = Sign in as a different user
