//! Users of a service under test.

use accounts::users::{NewAccount, UserStore};
use mail_parser::MessageParser;
use serde_json::{Value, json};
use shared::auth::{Credential, Tokens};
use shared::models::{Anime, EmailAddress, Factors, Gender, Role, StoryId, UserId, Username};
use tokio::sync::OnceCell;

use crate::made_up;
use crate::service::{Answer, Service};

/// The password of every test user.
pub const PASSWORD: &str = "kataware-doki 2016";

/// A registered user with an access token.
#[derive(Clone, Debug)]
pub struct Person {
    /// The user's id.
    pub id: UserId,
    /// The username.
    pub name: String,
    /// An access token.
    pub token: String,
}

impl Person {
    /// Returns the email address.
    pub fn email(&self) -> String {
        format!("{}@example.com", self.name)
    }

    /// Returns the id of this user's story for an anime.
    pub fn story(&self, anime: &Anime) -> u64 {
        StoryId::of(self.id, anime.id).get()
    }
}

impl Service {
    /// Returns a service with an empty catalogue, and a user of it.
    pub async fn with_person(name: &str) -> (Self, Person) {
        let service = Self::empty().await;
        let person = service.person(name).await;
        (service, person)
    }

    /// Registers a user over HTTP.
    pub async fn register(&self, name: &str) -> Answer {
        let body = json!({
            "username": name, "email": format!("{name}@example.com"), "password": PASSWORD
        });
        self.post("/v1/auth/register", &body).await
    }

    /// Signs in over HTTP.
    pub async fn login(&self, name: &str, password: &str) -> Answer {
        let body = json!({"username": name, "password": password});
        self.post("/v1/auth/login", &body).await
    }

    /// Updates a user over HTTP. Unless `fields` has others, the user is the caller, and the gender is 2.
    pub async fn update_user(&self, by: &Person, fields: &Value) -> Answer {
        let mut body = json!({"id": by.id, "gender": 2});
        let fields = fields.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(fields);
        self.post_as(&by.token, "/v1/user", &body).await
    }

    /// Creates a user directly in the store. Tests with many users use it instead of [`Self::register`],
    /// because it hashes the password only once per process.
    pub async fn person(&self, name: &str) -> Person {
        static HASH: OnceCell<String> = OnceCell::const_new();
        let hash = || async { self.environment.passwords().hash(PASSWORD).await.unwrap() };
        let account = NewAccount {
            username: Username::new(name).unwrap(),
            email: EmailAddress::new(&format!("{name}@example.com")).unwrap(),
            email_verified: false,
            password_hash: Some(HASH.get_or_init(hash).await.clone()),
            factors: Factors::default(),
            gender: Gender::Unknown,
            localization: "en".to_owned(),
            created_at: self.clock.now_ms(),
            invitation: None,
        };
        let account = self.users().create(account).await.unwrap();
        let id = account.user.id;
        Person {
            id,
            name: name.to_owned(),
            token: self.token(id).await,
        }
    }

    /// Creates a user with a role.
    pub async fn person_with_role(&self, name: &str, role: Role) -> Person {
        let person = self.person(name).await;
        cli::user::set_role(&self.database(), name, role)
            .await
            .unwrap();
        person
    }

    /// Signs an access token of token generation 0.
    pub async fn token(&self, id: UserId) -> String {
        let tokens = self.environment.tokens().unwrap();
        let credential = credential(&tokens, id);
        tokens.sign_access_token(&credential).await.unwrap()
    }

    /// Returns the user store.
    pub fn users(&self) -> UserStore {
        UserStore::new(&self.database())
    }

    /// Returns a service with a published catalogue of two anime with 12 episodes each, and the anime.
    pub async fn with_two_anime() -> (Self, [Anime; 2]) {
        let mut anime = made_up::anime(2, 1);
        for anime in &mut anime {
            anime.episodes_count = 12;
        }
        let service = Self::with_catalogue(&anime, &[]).await;
        let [first, second] = anime.try_into().expect("two anime");
        (service, [first, second])
    }

    /// Returns a service with a published catalogue of this many anime, which `change` changes, and the user `taki`.
    pub async fn with_made_up(
        count: u32,
        change: impl Fn(u32, &mut Anime),
    ) -> (Self, Person, Vec<Anime>) {
        let mut anime = made_up::anime(count, 1);
        for (number, one) in (1..).zip(&mut anime) {
            change(number, one);
        }
        let service = Self::with_catalogue(&anime, &[]).await;
        let person = service.person("taki").await;
        (service, person, anime)
    }

    /// Creates a story over HTTP.
    pub async fn create_story(&self, person: &Person, anime: &Anime, episode: u32) -> Answer {
        let body = json!({
            "user_id": person.id, "anime_id": anime.id, "status": 0, "current_episode": episode
        });
        self.put_as(&person.token, "/v1/user_story", &body).await
    }

    /// Returns the status of `/v1/auth/me` for a token: 401 if it is invalid.
    pub async fn me_status(&self, token: &str) -> u16 {
        self.get_as(token, "/v1/auth/me").await.status.as_u16()
    }

    /// Changes stories over HTTP in batches.
    pub async fn change_stories(&self, person: &Person, changes: &[Value]) {
        for changes in changes.chunks(100) {
            let body = json!({ "changes": changes });
            let answer = self.post_as(&person.token, "/v1/user_story/batch", &body);
            for result in answer.await.data().as_array().unwrap() {
                assert_eq!(result["status_code"], 200, "{result}");
            }
        }
    }

    /// Returns the token in the link of the newest mail to `email`. The file names order mails by time,
    /// so the clock must move between two mails.
    pub fn mailed_token(&self, email: &str) -> Option<String> {
        let mail = self.latest_mail(email)?;
        let mail = MessageParser::new().parse(&mail).expect("a mail");
        let text = mail.body_text(0).expect("a text");
        let (_, after) = text.split_once("token=").expect("a link");
        after.split_whitespace().next().map(str::to_owned)
    }

    /// Returns the latest mail to an address, as it was sent.
    ///
    /// # Panics
    /// If there is none.
    pub fn mail_to(&self, email: &str) -> String {
        self.latest_mail(email).expect("a mail")
    }

    /// Returns the text of the latest mail to an address.
    ///
    /// # Panics
    /// If there is none.
    pub fn mail_text(&self, email: &str) -> String {
        let mail = self.mail_to(email);
        let mail = MessageParser::new().parse(&mail).expect("a mail");
        mail.body_text(0).expect("a text").into_owned()
    }

    fn latest_mail(&self, email: &str) -> Option<String> {
        let mails = std::fs::read_dir(self.mail.path()).unwrap();
        let mut files: Vec<_> = mails.map(|mail| mail.unwrap().path()).collect();
        files.sort_unstable();
        let mails = files
            .iter()
            .map(|file| std::fs::read_to_string(file).unwrap());
        let to = format!("To: <{email}>");
        mails.rev().find(|mail| mail.contains(&to))
    }

    /// Counts the mails sent so far.
    pub fn mail_count(&self) -> usize {
        std::fs::read_dir(self.mail.path()).unwrap().count()
    }
}

/// Returns a new first-party credential of token generation 0.
pub fn credential(tokens: &Tokens, id: UserId) -> Credential {
    Credential {
        user_id: id,
        generation: 0,
        token_id: tokens.new_id(),
        client: None,
        profile_token: None,
        scope: None,
    }
}

/// Returns a list of stories in Kiroku's JSON, which imports read.
pub fn list_file(entries: &[Value]) -> String {
    json!({"format": "kiroku", "version": 1, "stories": entries}).to_string()
}

/// Returns the body of a story update.
pub fn story_body(person: &Person, anime: &Anime, status: u8, episode: u64) -> Value {
    json!({
        "id": person.story(anime), "user_id": person.id, "anime_id": anime.id,
        "status": status, "current_episode": episode, "current_episode_ticks": 1000
    })
}
