//! Lists of users.

use dynamo::{Item, number, read, read_first_page, read_page, text};
use shared::Result;
use shared::input::{Parameter, check_length};
use shared::models::{User, fold_username};

use super::user::LIST_SHARD;
use super::user_store::UserStore;
use crate::rows::query_by;

const MAX_USERNAME_BYTES: usize = 32;

/// A pattern of usernames, folded with [`fold_username`] (docs/api.md, "User endpoints").
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsernamePattern {
    /// Names that begin with this text. The index is ordered by name, so a query reads only the rows of such names.
    Beginning(String),
    /// Names that contain this text. A request reads rows until its page is full, at most 1,000 rows.
    Anywhere(String),
}

impl UsernamePattern {
    /// Reads a pattern; `None` if every name matches it. A leading `^` selects names by prefix. Usernames cannot
    /// contain this character, so it is never part of the searched text.
    pub fn read(pattern: &str) -> Option<Self> {
        let pattern = match pattern.strip_prefix('^') {
            Some(beginning) => Self::Beginning(fold_username(beginning)),
            None => Self::Anywhere(fold_username(pattern)),
        };
        let (Self::Beginning(text) | Self::Anywhere(text)) = &pattern;
        (!text.is_empty()).then_some(pattern)
    }

    /// Returns true if a folded name matches.
    pub fn matches(&self, name: &str) -> bool {
        match self {
            Self::Beginning(beginning) => name.starts_with(beginning),
            Self::Anywhere(part) => name.contains(part),
        }
    }
}

impl Parameter for UsernamePattern {
    fn parse(value: &str) -> Result<Option<Self>, String> {
        check_length(value)?;
        Ok(Self::read(value))
    }
}

/// A page of the user list.
#[derive(Debug)]
pub struct UserPage {
    /// The users in the order of their names.
    pub users: Vec<User>,
    /// The folded name after which the next page begins; `None` on the last page.
    pub next: Option<String>,
}

impl UserStore {
    /// Returns a page of the users, in the order of their names, beginning after the folded name `after`. Reads a
    /// secondary index, which can lag behind changes.
    pub async fn list(
        &self,
        pattern: Option<&UsernamePattern>,
        after: Option<&str>,
        per_page: usize,
    ) -> Result<UserPage> {
        let empty_page = || UserPage {
            users: Vec::new(),
            next: None,
        };
        let mut query = self
            .client
            .query()
            .table_name(&self.users)
            .index_name("ByUsername")
            .expression_attribute_values(":shard", number(LIST_SHARD));
        let name_condition = match (pattern, after) {
            // No username is this long, and DynamoDB rejects values that are too long for a key.
            (Some(UsernamePattern::Beginning(beginning)), _)
                if beginning.len() > MAX_USERNAME_BYTES =>
            {
                return Ok(empty_page());
            }
            (Some(UsernamePattern::Beginning(beginning)), Some(after)) => {
                // A key condition allows one BETWEEN, but not `begins_with` and `>` together. The smallest text greater
                // than `after` is `after` followed by `\0`. U+007F is greater than every character of a name.
                let from = format!("{after}\0").max(beginning.clone());
                let to = format!("{beginning}\u{7f}");
                if from > to {
                    return Ok(empty_page());
                }
                query = query
                    .expression_attribute_values(":from", text(from))
                    .expression_attribute_values(":to", text(to));
                " AND username_folded BETWEEN :from AND :to"
            }
            (Some(UsernamePattern::Beginning(beginning)), None) => {
                query = query.expression_attribute_values(":beginning", text(beginning));
                " AND begins_with(username_folded, :beginning)"
            }
            (_, Some(after)) => {
                query = query.expression_attribute_values(":after", text(after));
                " AND username_folded > :after"
            }
            (_, None) => "",
        };
        query = query.key_condition_expression(format!("list_shard = :shard{name_condition}"));
        let part = pattern.filter(|pattern| matches!(pattern, UsernamePattern::Anywhere(_)));
        let filter =
            part.map(|part| move |user: &User| part.matches(&fold_username(&user.username)));
        let position_of = |row: &Item| row.get("username_folded")?.as_s().ok().cloned();
        let listed = read_page(query, per_page, position_of, read, filter).await?;
        Ok(UserPage {
            users: listed.rows,
            next: listed.next,
        })
    }

    /// Returns the user with exactly this e-mail address as a list of at most one. Reads a
    /// secondary index, which can lag behind changes.
    pub async fn list_by_email(&self, email: &str) -> Result<Vec<User>> {
        let query = query_by(&self.client, &self.users, "email", text(email));
        read_first_page(query.index_name("ByEmail"), read).await
    }
}
