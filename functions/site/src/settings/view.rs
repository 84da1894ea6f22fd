//! Rendering of the page `/settings`.

use maud::{Markup, html};
use pages::form::{FormErrors, PostForm, borrow_choices, translate_choices};
use pages::language::Localizer;
use pages::layout::{Control, Field, notice};
use pages::paths::SETTINGS;
use shared::models::{ScoreScale, TitleLanguage};

/// Everything that the page shows.
pub(super) struct DisplayView<'a> {
    /// The language. It has the present settings.
    pub l10n: &'a Localizer,
    /// True if the settings are stored in an account.
    pub has_account: bool,
    /// The CSRF token.
    pub csrf: &'a str,
    /// The message of a confirmation.
    pub done: Option<&'a str>,
    /// The errors of the values that were sent.
    pub errors: Option<&'a FormErrors>,
}

impl DisplayView<'_> {
    /// Renders the content of the page.
    pub(super) fn body(&self) -> Markup {
        let l10n = self.l10n;
        let display = l10n.display();
        let titles = TitleLanguage::ALL.map(|(titles, name)| (name, titles_message(titles)));
        let scores = ScoreScale::ALL.map(|(scale, name)| (name, scale_message(scale)));
        let (titles, scores) = (
            translate_choices(l10n, titles),
            translate_choices(l10n, scores),
        );
        let fields = [
            Field {
                name: "titles",
                label: &l10n.text("display-titles"),
                control: Control::Radio(&borrow_choices(&titles)),
                value: display.titles.name(),
                hint: &l10n.text("display-titles-hint"),
            },
            Field {
                name: "scores",
                label: &l10n.text("display-scores"),
                control: Control::Radio(&borrow_choices(&scores)),
                value: display.scores.name(),
                hint: &l10n.text("display-scores-hint"),
            },
        ];
        let kept = if self.has_account {
            "display-kept-account"
        } else {
            "display-kept-cookie"
        };
        html! {
            @if let Some(done) = self.done { (notice(&l10n.text(done))) }
            (PostForm {
                action: SETTINGS,
                csrf: self.csrf,
                fields: &fields,
                errors: self.errors,
                button: &l10n.text("display-save"),
                ..PostForm::new(l10n)
            })
            p.hint { (l10n.text(kept)) }
        }
    }
}

fn titles_message(titles: TitleLanguage) -> &'static str {
    match titles {
        TitleLanguage::Page => "display-titles-page",
        TitleLanguage::Romaji => "display-titles-romaji",
        TitleLanguage::Japanese => "display-titles-japanese",
    }
}

fn scale_message(scale: ScoreScale) -> &'static str {
    match scale {
        ScoreScale::Hundred => "display-scores-hundred",
        ScoreScale::Ten => "display-scores-ten",
        ScoreScale::Halves => "display-scores-halves",
        ScoreScale::Decimals => "display-scores-decimals",
        ScoreScale::Stars => "display-scores-stars",
    }
}
