# Passkeys

form-passkey = The passkey
passkeys-heading = Passkeys
passkeys-explanation = With a passkey you sign in with your fingerprint, your face or the PIN of your device instead of a password.
passkeys-unavailable = This server cannot have passkeys. They need an address with HTTPS and a host name, such as https://kiroku.example.
passkeys-unsupported = To make or use a passkey, you need JavaScript and a recent browser.
passkeys-note = added { $added }, { $used }
passkeys-not-used = not used yet
passkeys-other-host = It was made for { $host }, another address of this server, and works only there. Make a new passkey for this address.
passkeys-name = Name of the passkey
passkeys-name-hint = For example the device that it is on. At most 64 characters.
passkeys-add = Add a passkey
passkeys-full = You have { $count } passkeys, which is the maximum. Remove one to add another.
passkeys-rename = Rename
passkeys-new-name = New name
passkeys-save = Save the name
passkeys-remove = Remove
passkeys-remove-hint = Removing a passkey also signs you out in all other browsers and apps.
passkeys-done-added = The passkey was added.
passkeys-done-renamed = The passkey has a new name.
passkeys-done-removed = The passkey was removed. Remove it from your device or password manager, too.
passkeys-sign-in = Sign in with a passkey
passkeys-sign-up = Sign up with a passkey
passkeys-sign-up-explanation = { $name } is free. Your browser now makes a passkey for your account. You need no password.
passkeys-create = Create the passkey
passkeys-first = First passkey
passkeys-prove = Confirm with a passkey
passkeys-failed = No passkey was used. Perhaps you have closed the dialog, or this device has no passkey for this site. You can try again.
passkeys-known = This device already has a passkey for your account.

# Texts of the API

api-could-not-be-read-try-again = could not be read; try again
api-took-too-long-or-has-already = took too long or has already been sent; try again
api-is-not-known-here-it-may = is not known here; it may have been removed
api-was-used-at-another-address-than = was used at another address than that of this server
api-did-not-check-that-it-is = did not check that it is you; unlock it with a PIN, a fingerprint or your face
api-could-not-be-checked-try-again = could not be checked; try again
api-was-refused-because-there-may-be = was refused, because there may be a copy of it; sign in another way and remove it
api-is-one-too-many-remove-another = is one too many; remove another one first
api-is-there-already = is there already
api-is-the-last-way-to-sign = is the last way to sign in; add another one first
api-must-have-1-to-64-characters = must have 1 to 64 characters
api-passkey-not-found = Passkey not found
api-this-server-has-no-passkeys-because = This server has no passkeys, because its address is not a host name with HTTPS.
