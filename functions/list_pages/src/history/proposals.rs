//! The page with the entries of imports that wait for the user's answer (docs/api.md, "Proposals").

use std::collections::BTreeSet;
use std::sync::Arc;

use accounts::sessions::SignedInUser;
use axum::extract::State;
use maud::{Markup, html};
use pages::anime_card::AnimeRenderer;
use pages::error::PageResult;
use pages::form::PostForm;
use pages::form_page::{FormPage, PageForms};
use pages::language::Localizer;
use pages::layout::{YES, csrf_field, notice, page_links};
use pages::paths::{HISTORY, HISTORY_PROPOSALS};
use pages::profile_part::ProfilePart;
use shared::Result;
use shared::auth::Action;
use shared::input::{MAX_PATTERN, Params};
use shared::models::{Anime, AnimeId, WatchStatus, WireEnum};
use stories::list_files::{
    self, AnsweredProposals, ProposalAnswers, ProposalReason, WaitingProposal, WaitingProposals,
};

use crate::players::AnimeById;
use crate::players::series::{facts, search};
use crate::state::ListState;

/// The number of proposals on a page.
const PER_PAGE: usize = 25;

/// The button that accepts all certain proposals.
const ACCEPT_CERTAIN: &str = "accept_certain";

/// The button that discards a proposal.
const DISCARD: &str = "discard";

/// The button that discards all proposals whose anime was not found.
const DISCARD_NOT_FOUND: &str = "discard_not_found";

/// The request for the page.
#[derive(Default)]
struct ProposalRequest {
    page: usize,
    /// The identifier of the proposal for which the user searches for an anime.
    find: Option<String>,
    /// The text of the search.
    search: String,
}

impl ProposalRequest {
    fn read(mut params: Params) -> Self {
        let page = params.token("page").and_then(|page| page.parse().ok());
        let search = params.token("q").unwrap_or_default();
        Self {
            page: page.unwrap_or(1),
            find: params.token("find"),
            search: search.trim().chars().take(MAX_PATTERN).collect(),
        }
    }
}

/// `GET /profile/history/proposals`
pub(crate) async fn page(State(state): State<Arc<ListState>>, page: FormPage) -> PageResult {
    let request = ProposalRequest::read(page.forms.params());
    show(&state, &page, &request, None).await
}

/// `POST /profile/history/proposals`: accepts or discards proposals, and shows the same page of the list again.
pub(crate) async fn answer(State(state): State<Arc<ListState>>, page: FormPage) -> PageResult {
    let (owner, form) = (&page.owner, &page.forms.sent);
    let id = form.value("id").to_owned();
    let anime = form.value("anime_id").parse().ok().and_then(AnimeId::new);
    let mut answers = ProposalAnswers {
        accepts_certain: form.has(ACCEPT_CERTAIN),
        ..ProposalAnswers::default()
    };
    if form.has(DISCARD_NOT_FOUND) {
        let found = read(&state, owner).await?.proposals.into_iter();
        let found = found.filter(was_not_found);
        answers.discarded = found.map(|proposal| proposal.id).collect();
    } else if form.has(DISCARD) {
        answers.discarded = vec![id];
    } else if let Some(anime) = anime {
        answers.accepted = vec![(id, anime)];
    }
    let access = owner.access(Action::WriteStory);
    let (stories, waiting, catalogue) = (&state.stories, &state.waiting, &state.catalogue);
    let (user, now) = (owner.account.user.id, state.clock.now_ms());
    let _slot = state.file_slots.acquire(user).await;
    let apply =
        list_files::answer_proposals(stories, waiting, catalogue, &access, user, &answers, now);
    let answered = Box::pin(apply).await?;
    let request = ProposalRequest {
        page: ProposalRequest::read(page.forms.params()).page,
        ..ProposalRequest::default()
    };
    show(&state, &page, &request, Some(answered)).await
}

/// Returns true for a proposal whose anime was searched and not found.
fn was_not_found(proposal: &WaitingProposal) -> bool {
    proposal.candidates.is_empty() && proposal.reason != ProposalReason::NotSearched
}

async fn read(state: &ListState, owner: &SignedInUser) -> Result<WaitingProposals> {
    let row = state.waiting.find(owner.account.user.id).await?;
    let index = state.catalogue.index().await?;
    list_files::waiting_proposals(row.as_ref(), &index, state.clock.now_ms())
}

async fn show(
    state: &ListState,
    page: &FormPage,
    request: &ProposalRequest,
    answered: Option<AnsweredProposals>,
) -> PageResult {
    let proposals = read(state, &page.owner).await?;
    let all = &proposals.proposals;
    let pages = all.len().div_ceil(PER_PAGE).max(1);
    let number = request.page.clamp(1, pages);
    let wanted = request.find.as_deref();
    let wanted = wanted.and_then(|id| all.iter().find(|one| one.id == id));
    let shown: Vec<&WaitingProposal> = match wanted {
        Some(proposal) => vec![proposal],
        None => all
            .iter()
            .skip((number - 1) * PER_PAGE)
            .take(PER_PAGE)
            .collect(),
    };
    let searched = wanted.map(|proposal| match request.search.as_str() {
        "" => proposal.title.as_deref().unwrap_or_default(),
        text => text,
    });
    let found = match searched {
        Some(text) => search(&state.catalogue, text).await?,
        None => Vec::new(),
    };
    let candidates = shown.iter().flat_map(|one| &one.candidates);
    let ids = candidates.map(|candidate| candidate.anime_id);
    let ids: BTreeSet<AnimeId> = ids.chain(found.iter().map(|anime| anime.id)).collect();
    let l10n = &page.forms.l10n;
    let view = ProposalsView {
        // Pages of text load no images, so the covers are bound books.
        renderer: AnimeRenderer::new(false, l10n),
        anime: AnimeById::read(&state.catalogue, ids).await?,
        forms: &page.forms,
        proposals: &proposals,
        page: number,
        address: match number {
            1 => HISTORY_PROPOSALS.to_owned(),
            number => page_address(number),
        },
    };
    let body = html! {
        @if let Some(answered) = answered { (notice(&answer_sentences(l10n, answered))) }
        @match wanted.zip(searched) {
            Some((proposal, searched)) => (view.search_page(proposal, &found, searched)),
            None => {
                (view.overview())
                (view.sections(shown))
                (page_links(l10n, number, pages, page_address))
            }
        }
        p { a.row href=(HISTORY) { (l10n.text("history-back")) } }
    };
    let title = l10n.text("proposals-title");
    Ok(page.respond(ProfilePart::Data.sub_page(page, &title, &body)))
}

fn page_address(page: usize) -> String {
    format!("{HISTORY_PROPOSALS}?page={page}")
}

fn answer_sentences(l10n: &Localizer, answered: AnsweredProposals) -> String {
    let counts = [
        ("proposals-added", answered.added),
        ("proposals-changed", answered.changed),
        ("proposals-unchanged", answered.unchanged),
        ("proposals-discarded", answered.discarded),
    ];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    let sentences = counts.map(|(message, count)| l10n.format(message, [("count", count.into())]));
    let sentences: Vec<String> = sentences.collect();
    if sentences.is_empty() {
        return l10n.text("proposals-nothing");
    }
    sentences.join(" ")
}

/// The content of the page.
struct ProposalsView<'v> {
    renderer: AnimeRenderer<'v>,
    anime: AnimeById,
    forms: &'v PageForms,
    proposals: &'v WaitingProposals,
    page: usize,
    /// The address of the page, to which answers are sent.
    address: String,
}

impl ProposalsView<'_> {
    fn l10n(&self) -> &Localizer {
        self.renderer.l10n
    }

    /// Renders the numbers, and the button that accepts all certain proposals.
    fn overview(&self) -> Markup {
        let l10n = self.l10n();
        let WaitingProposals {
            certain,
            uncertain,
            not_found,
            ..
        } = *self.proposals;
        let accept = l10n.format("proposals-accept-certain", [("count", certain.into())]);
        let numbers = [
            ("proposals-count-certain", certain),
            ("proposals-count-uncertain", uncertain),
            ("proposals-count-not-found", not_found),
        ];
        let numbers = numbers.into_iter().filter(|(_, count)| *count > 0);
        html! {
            @if self.proposals.proposals.is_empty() {
                p { (l10n.text("proposals-none")) }
            } @else {
                p { (l10n.text("proposals-explanation")) }
                ul.counts {
                    @for (message, count) in numbers {
                        li { (l10n.format(message, [("count", count.into())])) }
                    }
                }
            }
            @if certain > 0 {
                (PostForm {
                    hidden: vec![(ACCEPT_CERTAIN, YES)],
                    button: accept,
                    ..self.forms.post(&self.address, "")
                })
            }
        }
    }

    /// Renders these proposals, each in its section.
    fn sections(&self, shown: Vec<&WaitingProposal>) -> Markup {
        let shown = shown.into_iter();
        let (certain, others): (Vec<_>, Vec<_>) = shown.partition(|one| one.certain);
        let others = others.into_iter();
        let (not_found, uncertain): (Vec<_>, Vec<_>) =
            others.partition(|one| one.candidates.is_empty());
        html! {
            (self.section("certain", "proposals-certain", &certain))
            (self.section("uncertain", "proposals-uncertain", &uncertain))
            (self.section("not-found", "proposals-not-found", &not_found))
            @if not_found.iter().any(|one| was_not_found(one)) {
                (PostForm {
                    hidden: vec![(DISCARD_NOT_FOUND, YES)],
                    danger: true,
                    ..self.forms.post(&self.address, "proposals-discard-not-found")
                })
            }
        }
    }

    fn section(&self, id: &str, heading: &str, shown: &[&WaitingProposal]) -> Markup {
        html! {
            @if !shown.is_empty() {
                section aria-labelledby=(id) {
                    h2 id=(id) { (self.l10n().text(heading)) }
                    ul.plain {
                        @for proposal in shown {
                            li { (self.proposal(proposal)) }
                        }
                    }
                }
            }
        }
    }

    /// Renders a proposal with its candidates.
    fn proposal(&self, proposal: &WaitingProposal) -> Markup {
        let l10n = self.l10n();
        let id = &proposal.id;
        let (name, other, discard) = (format!("p-{id}"), format!("o-{id}"), format!("d-{id}"));
        let find = format!("{HISTORY_PROPOSALS}?find={id}&page={}", self.page);
        html! {
            (self.entry(proposal, &name))
            form method="post" action=(self.address) {
                (csrf_field(&self.forms.csrf))
                input type="hidden" name="id" value=(id);
                (self.candidates(id, proposal.candidates.iter().map(|candidate| candidate.anime_id)))
                div.actions {
                    a.button.secondary id=(other) aria-labelledby={ (other) " " (name) } href=(find) {
                        (l10n.text("players-other-anime"))
                    }
                    button.secondary type="submit" id=(discard) aria-labelledby={ (discard) " " (name) }
                        name=(DISCARD) value=(YES) { (l10n.text("proposals-discard")) }
                }
            }
        }
    }

    /// Renders what the file says, and the reason why the entry is not a story yet.
    fn entry(&self, proposal: &WaitingProposal, name: &str) -> Markup {
        let l10n = self.l10n();
        let episode = proposal.current_episode.unwrap_or_default();
        let status = WatchStatus::from_name(proposal.status);
        html! {
            strong dir="auto" id=(name) {
                @match &proposal.title {
                    Some(title) => (title),
                    None => (l10n.text("waiting-untitled")),
                }
                @if let Some(year) = proposal.year { " (" (year) ")" }
            }
            p.hint {
                @if let Some(status) = status { (l10n.watch_status(status)) }
                @if episode > 0 { ", " (l10n.format("players-episode", [("episode", episode.into())])) }
            }
            p { (self.reason(proposal)) }
        }
    }

    fn reason(&self, proposal: &WaitingProposal) -> String {
        let l10n = self.l10n();
        let title_of = |position: usize| {
            let candidate = proposal.candidates.get(position);
            let anime = candidate.and_then(|one| self.anime.get(one.anime_id));
            anime
                .map(|anime| self.renderer.title(anime))
                .unwrap_or_default()
        };
        let by_id = [("title", title_of(0).into())];
        match proposal.reason {
            ProposalReason::Title => l10n.text("proposals-reason-title"),
            ProposalReason::TitleAlone => l10n.text("proposals-reason-title-alone"),
            ProposalReason::OtherTitle => l10n.format("proposals-reason-other-title", by_id),
            ProposalReason::OtherYear => l10n.format("proposals-reason-other-year", by_id),
            ProposalReason::OtherFormat => l10n.format("proposals-reason-other-format", by_id),
            ProposalReason::OtherId => l10n.text("proposals-reason-other-id"),
            ProposalReason::SeveralAnime => l10n.text("proposals-reason-several-anime"),
            ProposalReason::Uncertain => l10n.text("proposals-reason-uncertain"),
            ProposalReason::NotFound => l10n.text("proposals-reason-not-found"),
            ProposalReason::NotSearched => l10n.text("proposals-reason-not-searched"),
        }
    }

    /// Renders the anime that the user can choose for the proposal with this identifier.
    fn candidates(&self, proposal: &str, anime: impl ExactSizeIterator<Item = AnimeId>) -> Markup {
        html! {
            @if anime.len() > 0 {
                ul.entries {
                    @for anime in anime { (self.candidate(proposal, anime)) }
                }
            }
        }
    }

    /// Renders a candidate. The accessible name of its button includes the title of the anime.
    fn candidate(&self, proposal: &str, candidate: AnimeId) -> Markup {
        let l10n = self.l10n();
        let id = candidate.get();
        let (name, button) = (format!("g-{proposal}-{id}"), format!("b-{proposal}-{id}"));
        let anime = self.anime.get(candidate);
        html! {
            li {
                @if let Some(anime) = anime { (self.renderer.linked_cover(anime)) }
                div {
                    span id=(name) { (self.anime.link(l10n, candidate)) }
                    small { @if let Some(anime) = anime { (facts(l10n, anime)) } }
                }
                button type="submit" id=(button) aria-labelledby={ (button) " " (name) }
                    name="anime_id" value=(id) { (l10n.text("players-this-one")) }
            }
        }
    }

    /// Renders the search for the anime of a proposal, and the anime that it has found.
    fn search_page(&self, proposal: &WaitingProposal, found: &[Anime], searched: &str) -> Markup {
        let l10n = self.l10n();
        let label = l10n.text("page-search");
        html! {
            (self.entry(proposal, "entry"))
            form.search role="search" aria-label=(l10n.text("players-other-anime")) action=(HISTORY_PROPOSALS) {
                input type="hidden" name="find" value=(proposal.id);
                input type="hidden" name="page" value=(self.page);
                input type="search" name="q" aria-label=(label) value=(searched) maxlength=(MAX_PATTERN);
                button type="submit" { (l10n.text("page-search-button")) }
            }
            @if found.is_empty() { p { (l10n.text("players-results-none")) } }
            form method="post" action=(self.address) {
                (csrf_field(&self.forms.csrf))
                input type="hidden" name="id" value=(proposal.id);
                (self.candidates(&proposal.id, found.iter().map(|anime| anime.id)))
            }
            p { a.row href=(self.address) { (l10n.text("proposals-back")) } }
        }
    }
}
