//! A device that makes and uses passkeys, and forms that send them.

use std::pin::Pin;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use passkey::authenticator::{Authenticator, UiHint, UserCheck, UserValidationMethod};
use passkey::client::{Client, DefaultClientData};
use passkey::crypto::rust_crypto::RustCryptoBackend;
use passkey::types::Passkey;
use passkey::types::ctap2::{Aaguid, Ctap2Error};
use serde::Serialize;
use serde_json::{Value, json};
use url::Url;

use crate::assertions::AssertText;
use crate::browser::{PageClient, hidden_fields, unescaped};
use crate::service::{Answer, PUBLIC_URL};

/// A device with at most one passkey.
#[derive(Clone, Default)]
pub struct Device {
    /// The passkey.
    pub passkey: Option<Passkey>,
    /// True if it counts its signatures.
    pub counts: bool,
}

/// The owner of the device, who agrees to everything.
struct Owner;

impl UserValidationMethod for Owner {
    type PasskeyItem = Passkey;

    fn check_user<'a, 's, 'f>(
        &'s self,
        _: UiHint<'a, Passkey>,
        presence: bool,
        verification: bool,
    ) -> Pin<Box<dyn Future<Output = Result<UserCheck, Ctap2Error>> + Send + 'f>>
    where
        'a: 'f,
        's: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            Ok(UserCheck {
                presence,
                verification,
            })
        })
    }

    fn is_presence_enabled(&self) -> bool {
        true
    }

    fn is_verification_enabled(&self) -> Option<bool> {
        Some(true)
    }
}

impl Device {
    fn authenticator(&self) -> Authenticator<Option<Passkey>, Owner, RustCryptoBackend> {
        let passkey = self.passkey.clone();
        let id = Aaguid::new_empty();
        let mut authenticator = Authenticator::new(id, passkey, Owner, RustCryptoBackend);
        authenticator.set_make_credentials_with_signature_counter(self.counts);
        authenticator
    }

    /// Makes a passkey as the button of a page asks for, and returns the browser's response.
    pub async fn make(&mut self, page: &Answer, to: &str) -> String {
        self.make_at(PUBLIC_URL, options(page, to)).await
    }

    /// Makes a passkey at an origin with these options.
    pub async fn make_at(&mut self, origin: &str, options: Value) -> String {
        let request = serde_json::from_value(json!({ "publicKey": options })).unwrap();
        let origin = Url::parse(origin).unwrap();
        let mut client = Client::new(self.authenticator());
        let made = client.register(&origin, request, DefaultClientData).await;
        let made = to_json(&made.unwrap());
        self.passkey.clone_from(client.authenticator().store());
        made
    }

    /// Uses the passkey as the button of a page asks for, and returns the browser's response.
    pub async fn use_passkey(&mut self, page: &Answer, to: &str) -> String {
        self.use_at(PUBLIC_URL, options(page, to)).await
    }

    /// Uses the passkey at an origin with these options.
    pub async fn use_at(&mut self, origin: &str, mut options: Value) -> String {
        if options["allowCredentials"] == json!([]) {
            options["allowCredentials"].take();
        }
        let request = serde_json::from_value(json!({ "publicKey": options })).unwrap();
        let origin = Url::parse(origin).unwrap();
        let mut client = Client::new(self.authenticator());
        let used = client
            .authenticate(&origin, request, DefaultClientData)
            .await;
        let used = to_json(&used.unwrap());
        self.passkey.clone_from(client.authenticator().store());
        used
    }
}

/// Returns a credential as browsers write it, with bytes in Base64url.
fn to_json(credential: &impl Serialize) -> String {
    let mut credential = serde_json::to_value(credential).unwrap();
    let mut encode = |value: &mut Value| {
        if let Ok(bytes) = serde_json::from_value::<Vec<u8>>(value.clone()) {
            *value = URL_SAFE_NO_PAD.encode(bytes).into();
        }
    };
    encode(&mut credential["rawId"]);
    let response = credential["response"].as_object_mut().unwrap();
    response.values_mut().for_each(&mut encode);
    credential.to_string()
}

/// Returns the options for the browser of the passkey button that leads to a path.
pub fn options(page: &Answer, to: &str) -> Value {
    let start = format!("formaction=\"{to}\" data-passkey=\"");
    let options = unescaped(&page.between(&start, "\""));
    serde_json::from_str(&options).unwrap()
}

impl PageClient<'_> {
    /// Sends the passkey button of the sign-in page with this response.
    pub async fn sign_in_with(&mut self, page: &Answer, credential: &str) -> Answer {
        let hidden = hidden_fields(&page.between("action=\"/sign-in\"", "</form>"));
        let hidden = hidden
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let fields: Vec<_> = hidden.chain([("credential", credential)]).collect();
        self.post("/sign-in/passkey", &fields).await
    }

    /// Adds a passkey with this name to the signed-in user, and returns its device.
    pub async fn add_passkey(&mut self, name: &str) -> Device {
        let mut device = Device::default();
        let page = self.get("/profile/security").await;
        let to = "/profile/security/passkeys";
        let credential = device.make(&page, to).await;
        let fields = [("name", name), ("credential", credential.as_str())];
        let added = self.submit(&page, to, &fields).await;
        added.assert_leads_to("/profile/security?done=passkey-added");
        device
    }
}
