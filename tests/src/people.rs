//! Users of a service under test.

use axum::http::Method;
use serde_json::{Value, json};
use shared::auth::{Credential, Tokens};
use shared::models::{Anime, EmailAddress, Gender, Role, StoryId, UserId, Username};
use store::{NewAccount, UserStore};
use tokio::sync::OnceCell;

use crate::made_up;
use crate::service::{Answer, Service};

/// The password of everybody.
pub const PASSWORD: &str = "kataware-doki 2016";

/// Somebody who has signed in.
#[derive(Clone, Debug)]
pub struct Person {
    /// Who.
    pub id: UserId,
    /// The name.
    pub name: String,
    /// Their token.
    pub token: String,
}

impl Person {
    /// The address.
    #[must_use]
    pub fn email(&self) -> String {
        format!("{}@example.com", self.name)
    }

    /// The identifier of their story of an anime.
    #[must_use]
    pub fn story(&self, anime: &Anime) -> u64 {
        StoryId::of(self.id, anime.id).get()
    }
}

impl Service {
    /// Registers somebody, over HTTP.
    pub async fn register(&self, name: &str) -> Answer {
        let body = json!({
            "username": name, "email": format!("{name}@example.com"), "password": PASSWORD
        });
        self.json(Method::POST, "/v1/auth/register", None, &body)
            .await
    }

    /// Somebody who has registered. To make many of them, past HTTP: it costs no hash.
    pub async fn person(&self, name: &str) -> Person {
        static HASH: OnceCell<String> = OnceCell::const_new();
        let hash = || async { self.environment.passwords().hash(PASSWORD).await.unwrap() };
        let account = NewAccount {
            username: Username::new(name).unwrap(),
            email: EmailAddress::new(&format!("{name}@example.com")).unwrap(),
            password_hash: HASH.get_or_init(hash).await.clone(),
            gender: Gender::Unknown,
            localization: "en".to_owned(),
            created_at: self.clock.now_ms(),
        };
        let account = self.users().create(account).await.unwrap();
        let id = account.user.id;
        Person {
            id,
            name: name.to_owned(),
            token: self.token(id).await,
        }
    }

    /// Somebody with a role.
    pub async fn person_with_role(&self, name: &str, role: Role) -> Person {
        let person = self.person(name).await;
        let tables = &self.tables;
        cli::user::set_role(&self.client, tables, name, role)
            .await
            .unwrap();
        person
    }

    /// A token of the first generation.
    pub async fn token(&self, id: UserId) -> String {
        let tokens = self.environment.tokens().unwrap();
        let credential = credential(&tokens, id);
        tokens.sign_access(&credential).await.unwrap()
    }

    /// The users' table.
    #[must_use]
    pub fn users(&self) -> UserStore {
        let random = self.environment.random.clone();
        UserStore::new(self.client.clone(), &self.tables, random)
    }

    /// A service with two anime of 12 episodes, published. Answers the anime too.
    pub async fn with_two_anime() -> (Self, [Anime; 2]) {
        let mut anime = made_up::anime(2, 1);
        for anime in &mut anime {
            anime.episodes_count = 12;
        }
        let service = Self::with(&anime, &[]).await;
        let [first, second] = anime.try_into().expect("two anime");
        (service, [first, second])
    }

    /// Creates a story.
    pub async fn create_story(&self, person: &Person, anime: &Anime, episode: u32) -> Answer {
        let body = json!({
            "user_id": person.id, "anime_id": anime.id, "status": 0, "current_episode": episode
        });
        self.json(Method::PUT, "/v1/user_story", Some(&person.token), &body)
            .await
    }

    /// What a mail's link has, out of the newest mail to an address. The clock has to move between
    /// two mails for one to be newer.
    #[must_use]
    pub fn mailed_token(&self, email: &str) -> Option<String> {
        let mails = std::fs::read_dir(self.mail.path()).unwrap();
        let mut files: Vec<_> = mails.map(|mail| mail.unwrap().path()).collect();
        files.sort_unstable();
        let mails = files
            .iter()
            .map(|file| std::fs::read_to_string(file).unwrap());
        let to = format!("To: <{email}>");
        let mail = mails.rev().find(|mail| mail.contains(&to))?;
        let (_, after) = mail.split_once("token=").expect("a link");
        after.split_whitespace().next().map(str::to_owned)
    }

    /// How many mails there are.
    #[must_use]
    pub fn mails(&self) -> usize {
        std::fs::read_dir(self.mail.path()).unwrap().count()
    }
}

/// A new credential of somebody's own, of the first generation.
#[must_use]
pub fn credential(tokens: &Tokens, id: UserId) -> Credential {
    Credential {
        user_id: id,
        generation: 0,
        token_id: tokens.new_id(),
        client: None,
    }
}

/// The body that updates a story.
#[must_use]
pub fn story_body(person: &Person, anime: &Anime, status: u8, episode: u64) -> Value {
    json!({
        "id": person.story(anime), "user_id": person.id, "anime_id": anime.id,
        "status": status, "current_episode": episode, "current_episode_ticks": 1000
    })
}
