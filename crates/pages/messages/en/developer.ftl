# Applications of a user

developer-title = Developer
developer-explanation = Register your application to let its users sign in with their Kiroku account and to access their data. Applications that only read the catalogue need no registration.
developer-none = You have not registered any applications.
developer-register = Register an application
developer-register-button = Register
developer-name-hint = At most 60 characters. Users see it on the consent page.
developer-kind-field = Kind of application
developer-kind-hint = You cannot change this later.
developer-kind-confidential = Confidential: runs on a server and keeps a secret
developer-kind-public = Public: runs in a browser or on a device and uses PKCE
developer-confidential = confidential
developer-public = public
developer-uris = Redirect URIs
developer-uris-hint = Up to 10, one per line, exactly as your application sends them. Use https://, a loopback address, or a private-use scheme such as com.example.app:/callback.
developer-implicit = Allow the implicit grant
developer-implicit-hint = Not recommended: it puts tokens in addresses, where they can leak. The code grant with PKCE also works in browsers and on devices.

# One application

developer-done-created = Your application is registered.
developer-done-saved = Your changes are saved.
developer-done-deleted = The application has been deleted. Its users are being disconnected, which can take a few minutes if there are many.
developer-done-secret = The application has a new secret. The old one no longer works.
developer-identity = Identity
developer-client-id = Client ID
developer-client-id-copy = the client ID
developer-details = Details
developer-save = Save changes
developer-secret = Secret
developer-secret-explanation = Kiroku stores only a digest of the secret and cannot show it again. A new secret replaces the old one immediately.
developer-secret-button = Create a new secret
developer-new-secret = The secret
developer-new-secret-copy = Copy it now. It will not be shown again.
developer-new-secret-explanation = Keep it on your server and out of everything that your users receive.
developer-client-secret = Client secret
developer-client-secret-copy = the client secret
developer-delete-explanation = Deleting the application disconnects all its users.
developer-delete-link = Delete this application
developer-all = All your applications
developer-deletion-title = Delete the application?
developer-deletion = This cannot be undone. All users of { $name } are disconnected, its access tokens are revoked, and its client ID and secret stop working.
developer-deletion-button = Delete the application
developer-deletion-keep = Keep the application

# OAuth endpoints

developer-endpoints = Endpoints
developer-endpoint-authorization = Authorization endpoint
developer-endpoint-token = Token endpoint
developer-endpoint-revocation = Revocation endpoint
developer-endpoint-metadata = Metadata (RFC 8414)
developer-endpoints-hint = Send the client credentials in the body or with HTTP Basic. Always send a { $state } and a PKCE challenge (S256).
