//! Statistics of a user's stories (docs/api.md, "Statistics").

use std::cmp::Reverse;
use std::sync::Arc;

use accounts::errors::NO_USER;
use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use shared::Error;
use shared::auth::{Access, Action, Bearer, CallerRow};
use shared::http::openapi::NothingFound;
use shared::http::response::{PathId, private};
use shared::http::{ApiError, Envelope, OptionalBearer};
use shared::models::{AnimeFormat, PartialDate, UserId, WatchStatus, WireEnum};
use stories::lists::{WireTime, seconds};
use stories::statistics::{Statistics, Tally};
use utoipa::ToSchema;

use crate::UserStoryState;

const NOT_PUBLIC: Error = Error::Forbidden("This user's profile is not public.");

/// The statistics of a user's stories.
#[derive(Serialize, ToSchema)]
pub(crate) struct UserStatistics {
    /// Identifier of the user.
    user_id: UserId,
    /// True if everyone can read the statistics.
    public_profile: bool,
    /// Time of the response. The statistics include all changes up to then.
    #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
    as_of: WireTime,
    /// Number of stories with each status, all six in the order of their integers.
    #[schema(min_items = 6, max_items = 6)]
    statuses: Vec<StatusCount>,
    #[serde(flatten)]
    watched: StorySums,
    /// Number of stories by score, in ten steps.
    #[schema(min_items = 10, max_items = 10)]
    scores: Vec<ScoreCount>,
    /// By genre, most stories first. A story counts in each genre of its anime.
    genres: Vec<GenreSums>,
    /// By format, most stories first.
    formats: Vec<FormatSums>,
    /// By year of release, latest first.
    years: Vec<YearSums>,
    /// By the month of the first completion, latest first. Only the first viewing counts.
    months: Vec<MonthSums>,
}

/// Sums over stories. Those with status 1 (PLANNING) do not count.
#[derive(Serialize, ToSchema)]
#[schema(as = Sums)]
struct StorySums {
    /// Number of stories.
    #[schema(example = 42)]
    stories: u32,
    /// Number of watched episodes, including those watched again.
    #[schema(example = 610)]
    episodes: u64,
    /// Time watched in hours, without anime whose duration is unknown.
    #[schema(minimum = 0, example = 243.9)]
    hours: f64,
    /// Mean of the scores with at most two decimals; null without a score.
    #[schema(required = true, minimum = 0, maximum = 100, example = 78.25)]
    mean_score: Option<f64>,
}

impl From<&Tally> for StorySums {
    fn from(tally: &Tally) -> Self {
        Self {
            stories: tally.stories,
            episodes: tally.episodes,
            hours: tally.hours(),
            mean_score: tally.mean_score(),
        }
    }
}

/// The number of stories with a status.
#[derive(Serialize, ToSchema)]
struct StatusCount {
    status: WatchStatus,
    /// Number of stories.
    stories: u32,
}

/// The number of stories with a score in a range.
#[derive(Serialize, ToSchema)]
struct ScoreCount {
    /// Highest score of the range: 10, 20, and so on up to 100. The range begins above the previous range.
    #[schema(minimum = 10, maximum = 100, example = 90)]
    up_to: usize,
    /// Number of stories.
    stories: u32,
}

/// Declares a group of stories: its key, and the sums over it.
macro_rules! group {
    ($(#[$doc:meta])* $name:ident { $(#[$key_doc:meta])* $key:ident: $type:ty }) => {
        $(#[$doc])*
        #[derive(Serialize, ToSchema)]
        struct $name {
            $(#[$key_doc])*
            $key: $type,
            #[serde(flatten)]
            sums: StorySums,
        }

        impl From<($type, Tally)> for $name {
            fn from(($key, tally): ($type, Tally)) -> Self {
                Self { $key, sums: StorySums::from(&tally) }
            }
        }
    };
}

group! {
    /// The stories of anime with a genre.
    GenreSums {
        /// Name of the genre.
        #[schema(example = "Drama")]
        genre: String
    }
}
group! {
    /// The stories of anime with a format.
    FormatSums {
        format: AnimeFormat
    }
}
group! {
    /// The stories of anime released in a year.
    YearSums {
        /// Year of release (`season_year`).
        #[schema(example = 2016)]
        year: u16
    }
}
group! {
    /// The stories of anime completed in a month.
    MonthSums {
        /// Month as `YYYY-MM`, or `YYYY` if the month is unknown.
        #[schema(value_type = String, example = "2016-08")]
        month: PartialDate
    }
}

impl UserStatistics {
    fn new(user_id: UserId, public_profile: bool, as_of: u64, statistics: Statistics) -> Self {
        let statuses = WatchStatus::ALL.iter().zip(statistics.statuses);
        let scores = (1..).zip(statistics.scores);
        let mut genres: Vec<(String, Tally)> = statistics.genres.into_iter().collect();
        // The sort is stable, so equal counts stay in the order of the keys.
        genres.sort_by_key(|(_, tally)| Reverse(tally.stories));
        let mut formats: Vec<(AnimeFormat, Tally)> = statistics.formats.into_iter().collect();
        formats.sort_by_key(|(_, tally)| Reverse(tally.stories));
        Self {
            user_id,
            public_profile,
            as_of: seconds(as_of),
            statuses: statuses
                .map(|((status, _), stories)| StatusCount {
                    status: *status,
                    stories,
                })
                .collect(),
            watched: StorySums::from(&statistics.watched),
            scores: scores
                .map(|(step, stories)| ScoreCount {
                    up_to: step * 10,
                    stories,
                })
                .collect(),
            genres: genres.into_iter().map(GenreSums::from).collect(),
            formats: formats.into_iter().map(FormatSums::from).collect(),
            years: statistics
                .years
                .into_iter()
                .rev()
                .map(YearSums::from)
                .collect(),
            months: statistics
                .months
                .into_iter()
                .rev()
                .map(MonthSums::from)
                .collect(),
        }
    }
}

/// Returns the statistics of a user's stories.
///
/// Callers can read their own statistics. Moderators can also read those of basic users, and administrators those of
/// all users. If a user's profile is public, everyone can read the statistics, without private stories. The setting is
/// on the profile page, and is `public_profile` of `POST /v1/user`.
///
/// Stories with status 1 (PLANNING) count only in `statuses`. Episodes that were watched again count again.
#[utoipa::path(
    get,
    path = "/v1/user/{id}/statistics",
    tag = "user_statistics",
    security((), ("bearer" = [])),
    params(("id" = u64, Path, minimum = 1, maximum = 9_007_199_254_740_991_u64, description = "Identifier of the user",
        example = 1)),
    responses(
        (status = 200, description = "The statistics", body = Envelope<UserStatistics>),
        NothingFound,
    ),
)]
pub(crate) async fn find_user_statistics(
    State(state): State<Arc<UserStoryState>>,
    OptionalBearer(bearer): OptionalBearer,
    id: Result<PathId, ApiError>,
) -> Result<Response, ApiError> {
    let (owner, row, with_private) = find_owner(&state, bearer, id).await?;
    let current = state.statistics.read(owner, &row.list, row.public_profile);
    let current = current.await?;
    let public = current.public.as_ref().map(|public| &public.statistics);
    let statistics = if with_private {
        &current.all
    } else {
        public.ok_or(NOT_PUBLIC)?
    };
    let (is_public, now) = (row.public_profile, state.clock.now_ms());
    let found = UserStatistics::new(owner, is_public, now, statistics.clone());
    Ok(private("Statistics found", found))
}

/// Returns the user with this identifier, the user's row, and true if the caller can see private stories.
async fn find_owner(
    state: &UserStoryState,
    bearer: Option<Bearer>,
    id: Result<PathId, ApiError>,
) -> Result<(UserId, CallerRow, bool), ApiError> {
    let users = &state.users;
    let exists = |row: Option<CallerRow>| {
        let row = row.filter(|row| row.deleted_at.is_none());
        row.ok_or(NO_USER)
    };
    let Some(bearer) = bearer else {
        let owner = UserId::new(id?.0).ok_or(NO_USER)?;
        let row = exists(users.row(owner).await?)?;
        let is_public = row.public_profile;
        return is_public
            .then_some((owner, row, false))
            .ok_or(ApiError::NoToken);
    };
    let credential = state.tokens.credential(&bearer).await?;
    let Some(owner) = UserId::new(id?.0) else {
        // No user can have this identifier. An invalid token is still a 401 rather than a 404.
        let access = Access::new(&credential, Action::ReadStory, credential.user_id);
        access.check(users.caller(&credential).await?.as_ref())?;
        return Err(NO_USER.into());
    };
    let access = Access::new(&credential, Action::ReadStory, owner);
    let (caller, mut row) = users.caller_and(&credential, owner).await?;
    if credential.client.is_some() && owner != credential.user_id {
        // `caller_and` does not read another user's row for an application, but a public profile is for everyone.
        row = users.row(owner).await?;
    }
    match access.check_for(caller.as_ref(), row.as_ref()) {
        Ok(()) => Ok((owner, exists(row)?, true)),
        Err(Error::Forbidden(_)) => {
            let row = exists(row)?;
            let is_public = row.public_profile;
            Ok(is_public.then_some((owner, row, false)).ok_or(NOT_PUBLIC)?)
        }
        Err(error) => Err(error.into()),
    }
}
