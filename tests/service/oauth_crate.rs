//! Authorization code flow of the `oauth2` crate, which only knows the addresses of the endpoints. The
//! libraries of other languages are in tests/libraries.

use accounts::applications::ClientKind;
use axum::body::Body;
use oauth2::basic::{BasicClient, BasicErrorResponseType, BasicTokenResponse};
use oauth2::{
    AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointNotSet,
    EndpointSet, HttpRequest, HttpResponse, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl,
    RequestTokenError, RevocationUrl, Scope, StandardRevocableToken, TokenResponse, TokenUrl,
};
use tests::browser::{Application, PageClient, Returned};
use tests::people::Person;
use tests::service::{PUBLIC_URL, Service, call};

type Client = BasicClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointSet, EndpointSet>;

fn client(application: &Application) -> Client {
    let url = |path: &str| format!("{PUBLIC_URL}{path}");
    let id = ClientId::new(application.client_id.clone());
    let mut client = BasicClient::new(id);
    if let Some(secret) = &application.secret {
        client = client.set_client_secret(ClientSecret::new(secret.clone()));
    }
    client
        .set_auth_uri(AuthUrl::new(url("/v1/oauth")).unwrap())
        .set_token_uri(TokenUrl::new(url("/v1/oauth/token")).unwrap())
        .set_revocation_url(RevocationUrl::new(url("/v1/oauth/revoke")).unwrap())
        .set_redirect_uri(RedirectUrl::new(application.redirect_uri.clone()).unwrap())
}

/// Passes the crate's requests to the service.
async fn forward(service: &Service, request: HttpRequest) -> Result<HttpResponse, std::io::Error> {
    let answer = call(&service.router, request.map(Body::from)).await;
    let mut response = HttpResponse::new(answer.body.to_vec());
    *response.status_mut() = answer.status;
    *response.headers_mut() = answer.headers;
    Ok(response)
}

/// Runs the user's part of the flow. Returns the code and its PKCE verifier.
async fn authorize(
    service: &Service,
    user: &Person,
    client: &Client,
) -> (AuthorizationCode, PkceCodeVerifier) {
    authorize_scopes(service, user, client, &[]).await
}

/// Runs the user's part of the flow for these scopes.
async fn authorize_scopes(
    service: &Service,
    user: &Person,
    client: &Client,
    scopes: &[Scope],
) -> (AuthorizationCode, PkceCodeVerifier) {
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let (url, state) = client
        .authorize_url(CsrfToken::new_random)
        .add_scopes(scopes.iter().cloned())
        .set_pkce_challenge(challenge)
        .url();
    let mut browser = PageClient::signed_in(service, user).await;
    let page = browser.get(url.as_str()).await;
    let decided = browser.submit(&page, "/v1/oauth", &[("decision", "allow")]);
    let returned = Returned::from_redirect(&decided.await);
    assert_eq!(returned.get("state"), Some(state.secret().as_str()));
    (AuthorizationCode::new(returned.code().to_owned()), verifier)
}

async fn exchange(
    service: &Service,
    client: &Client,
    code: &AuthorizationCode,
    verifier: &PkceCodeVerifier,
) -> Result<BasicTokenResponse, BasicErrorResponseType> {
    let verifier = PkceCodeVerifier::new(verifier.secret().clone());
    let http = async |request: HttpRequest| forward(service, request).await;
    let exchanged = client
        .exchange_code(code.clone())
        .set_pkce_verifier(verifier)
        .request_async(&|request| http(request))
        .await;
    exchanged.map_err(|error| match error {
        RequestTokenError::ServerResponse(answer) => answer.error().clone(),
        other => panic!("{other}"),
    })
}

async fn me_status(service: &Service, token: &BasicTokenResponse) -> u16 {
    let token = token.access_token().secret();
    let answer = service.get_as(token, "/v1/auth/me").await;
    answer.status.as_u16()
}

#[tokio::test]
async fn oauth2_crate_exchanges_a_code() {
    let (service, user) = Service::with_person("mitsuha").await;
    let confidential = service.web_application(&user).await;
    let uri = "http://127.0.0.1:8000/cb";
    let public = service
        .application(&user, ClientKind::Public, uri, false)
        .await;
    for (application, authentication) in [
        (&confidential, AuthType::BasicAuth),
        (&confidential, AuthType::RequestBody),
        (&public, AuthType::RequestBody),
        (&public, AuthType::BasicAuth),
    ] {
        let client = client(application).set_auth_type(authentication);
        let (code, verifier) = authorize(&service, &user, &client).await;
        let token = exchange(&service, &client, &code, &verifier).await.unwrap();
        assert_eq!(token.expires_in().unwrap().as_secs(), 2_592_000);
        assert_eq!(me_status(&service, &token).await, 200);

        let again = exchange(&service, &client, &code, &verifier).await;
        assert_eq!(again.unwrap_err(), BasicErrorResponseType::InvalidGrant);
        assert_eq!(me_status(&service, &token).await, 401);
    }
}

#[tokio::test]
async fn oauth2_crate_reads_the_scopes() {
    let (service, user) = Service::with_person("mitsuha").await;
    let application = service.web_application(&user).await;
    let client = client(&application);
    for names in [&[][..], &["read"], &["read", "write"]] {
        let scopes: Vec<Scope> = names
            .iter()
            .map(|name| Scope::new((*name).to_owned()))
            .collect();
        let (code, verifier) = authorize_scopes(&service, &user, &client, &scopes).await;
        let token = exchange(&service, &client, &code, &verifier).await.unwrap();
        assert_eq!(token.scopes().cloned().unwrap_or_default(), scopes);
        assert_eq!(me_status(&service, &token).await, 200);
    }
}

#[tokio::test]
async fn oauth2_crate_parses_errors() {
    let (service, user) = Service::with_person("mitsuha").await;
    let application = service.web_application(&user).await;
    let right = client(&application);
    let (code, verifier) = authorize(&service, &user, &right).await;
    for authentication in [AuthType::BasicAuth, AuthType::RequestBody] {
        let wrong = Application {
            secret: Some("wrong".to_owned()),
            ..application.clone()
        };
        let wrong = client(&wrong).set_auth_type(authentication);
        let refused = exchange(&service, &wrong, &code, &verifier).await;
        assert_eq!(refused.unwrap_err(), BasicErrorResponseType::InvalidClient);
    }
    let (_, other) = PkceCodeChallenge::new_random_sha256();
    let refused = exchange(&service, &right, &code, &other).await;
    assert_eq!(refused.unwrap_err(), BasicErrorResponseType::InvalidGrant);
    let elsewhere = Application {
        redirect_uri: "https://app.example/other".to_owned(),
        ..application.clone()
    };
    let refused = exchange(&service, &client(&elsewhere), &code, &verifier).await;
    assert_eq!(refused.unwrap_err(), BasicErrorResponseType::InvalidGrant);
    let token = exchange(&service, &right, &code, &verifier).await.unwrap();
    assert_eq!(me_status(&service, &token).await, 200);
}

#[tokio::test]
async fn oauth2_crate_revokes_a_token() {
    let (service, user) = Service::with_person("mitsuha").await;
    let application = service.web_application(&user).await;
    let client = client(&application);
    let (code, verifier) = authorize(&service, &user, &client).await;
    let token = exchange(&service, &client, &code, &verifier).await.unwrap();
    for _ in 0..2 {
        let revocable = StandardRevocableToken::from(token.access_token());
        let revocation = client.revoke_token(revocable).unwrap();
        let http = async |request: HttpRequest| forward(&service, request).await;
        revocation
            .request_async(&|request| http(request))
            .await
            .unwrap();
        assert_eq!(me_status(&service, &token).await, 401);
    }
}
