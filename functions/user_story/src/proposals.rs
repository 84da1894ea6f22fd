//! The entries of imports that wait for the user's answer (docs/api.md, "Proposals").

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use serde_json::Value;
use shared::auth::{Action, Bearer};
use shared::body;
use shared::http::openapi::{NothingFound, TooMany};
use shared::http::response::private;
use shared::http::{ApiError, Envelope};
use shared::input::{BodyField, Fields, parse_nested};
use shared::models::AnimeId;
use stories::list_files::{
    self, AnsweredProposals, MAX_ANSWERS, MAX_PROPOSALS, ProposalAnswers, WaitingProposals,
};

use crate::{OwnerQuery, UserStoryState, read_owner};

body! {
    /// The anime that a proposal means.
    struct AcceptedProposal {
        /// Identifier of the proposal.
        #[schema(example = "0a1b2c3d4e5f6071-1")]
        id: String,
        /// Identifier of an anime in the catalogue: a candidate, or any other.
        #[schema(value_type = u64, minimum = 1, maximum = 33_554_431, example = 2)]
        anime_id: AnimeId,
    }
}

struct AcceptedProposals(Vec<(String, AnimeId)>);

impl BodyField for AcceptedProposals {
    fn parse(value: &Value) -> Result<Self, String> {
        let accepted = elements(value)?.iter().map(|element| {
            let AcceptedProposal { id, anime_id } = parse_nested(element)?;
            Ok((id, anime_id))
        });
        accepted.collect::<Result<_, _>>().map(Self)
    }
}

struct DiscardedProposals(Vec<String>);

impl BodyField for DiscardedProposals {
    fn parse(value: &Value) -> Result<Self, String> {
        let ids = elements(value)?.iter();
        let ids: Option<Vec<String>> = ids.map(|id| id.as_str().map(str::to_owned)).collect();
        let invalid = || "must be an array of identifiers of proposals".to_owned();
        ids.map(Self).ok_or_else(invalid)
    }
}

fn elements(value: &Value) -> Result<&[Value], String> {
    let elements = value.as_array().map(Vec::as_slice);
    elements
        .filter(|elements| elements.len() <= MAX_ANSWERS)
        .ok_or_else(|| format!("must be an array of at most {MAX_ANSWERS} elements"))
}

body! {
    /// Answers to proposals.
    pub(crate) struct ProposalBody {
        /// `true` accepts all certain proposals that the request does not name elsewhere.
        #[schema(example = true)]
        accept_certain: Option<bool>,
        /// The proposals to accept, each with its anime, up to 500.
        #[schema(value_type = Option<Vec<AcceptedProposal>>, max_items = 500)]
        accept: Option<AcceptedProposals>,
        /// The identifiers of the proposals to discard, up to 500.
        #[schema(value_type = Option<Vec<String>>, max_items = 500, example = json!(["0a1b2c3d4e5f6071-2"]))]
        discard: Option<DiscardedProposals>,
    }
}

/// Returns the entries of imports that wait for the user's answer.
///
/// The certain ones, which one request can accept, come first, then those with candidates, then those without. They are
/// deleted 365 days after the import. Moderators can also read the proposals of basic users, and administrators those
/// of all users.
#[utoipa::path(
    get,
    path = "/v1/user_story/import/proposals",
    tag = "user_story_file",
    security(("bearer" = [])),
    params(OwnerQuery),
    responses(
        (status = 200, description = "The proposals", body = Envelope<WaitingProposals>),
        NothingFound,
    ),
)]
pub(crate) async fn list_import_proposals(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let (owner, access) = read_owner(&state, &bearer, query.as_deref(), Action::ReadStory).await?;
    state.stories.check_access(&access, owner).await?;
    let row = state.waiting.find(owner).await?;
    let index = state.catalogue.index().await?;
    let now = state.clock.now_ms();
    let mut proposals = list_files::waiting_proposals(row.as_ref(), &index, now)?;
    proposals.proposals.truncate(MAX_PROPOSALS);
    Ok(private("Proposals found", proposals))
}

/// Accepts and discards entries of imports that wait for the user's answer.
///
/// An accepted entry becomes a story, or changes the story of its anime in the mode of its import. The change belongs
/// to that import, so undoing the import also undoes it. A request can be repeated safely. Moderators can answer for
/// basic users, and administrators for all users.
#[utoipa::path(
    post,
    path = "/v1/user_story/import/proposals",
    tag = "user_story_file",
    security(("bearer" = [])),
    params(OwnerQuery),
    request_body = ProposalBody,
    responses(
        (status = 200, description = "The numbers of stories and proposals", body = Envelope<AnsweredProposals>),
        NothingFound,
        TooMany,
    ),
)]
pub(crate) async fn answer_import_proposals(
    State(state): State<Arc<UserStoryState>>,
    bearer: Bearer,
    RawQuery(query): RawQuery,
    fields: Result<Fields, ApiError>,
) -> Result<Response, ApiError> {
    let (owner, access) = read_owner(&state, &bearer, query.as_deref(), Action::WriteStory).await?;
    let body: ProposalBody = fields?.body()?;
    let answers = ProposalAnswers {
        accepts_certain: body.accept_certain.unwrap_or_default(),
        accepted: body.accept.map(|accepted| accepted.0).unwrap_or_default(),
        discarded: body.discard.map(|ids| ids.0).unwrap_or_default(),
    };
    let (stories, waiting, catalogue) = (&state.stories, &state.waiting, &state.catalogue);
    let now = state.clock.now_ms();
    let _slot = state.file_slots.acquire(owner).await;
    let apply =
        list_files::answer_proposals(stories, waiting, catalogue, &access, owner, &answers, now);
    Ok(private("Proposals answered", apply.await?))
}
