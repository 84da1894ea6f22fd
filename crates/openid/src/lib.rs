//! OpenID Connect: sign-in with an identity provider (docs/oauth.md, "Identity providers").
