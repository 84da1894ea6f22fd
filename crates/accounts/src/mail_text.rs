//! The texts of mails, in the language of the account.
//!
//! They are not messages of `crates/pages`, because `functions/auth` also sends mails. With such messages, it would
//! contain Fluent and the texts of all pages. This crate does not compile if a text is missing.

use shared::models::Language;

/// A mail with a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkMail {
    /// Verifies the e-mail address. The link is valid for 24 hours.
    Verification,
    /// Sets a new password. The link is valid for 1 hour.
    Reset,
}

/// Returns the first line of a mail to the user with this name.
pub(crate) fn greeting(language: Language, name: &str) -> String {
    match language {
        Language::English => format!("Hi {name},"),
        Language::French => format!("Bonjour {name},"),
        Language::Italian => format!("Ciao {name},"),
        Language::Japanese => format!("{name}さん"),
    }
}

/// The subject of a mail, and the paragraphs before and after its link.
struct MailTexts {
    subject: &'static str,
    before: &'static str,
    after: &'static str,
}

impl LinkMail {
    /// Returns the subject and the text of the mail for the user with this name.
    pub(crate) fn compose(
        self,
        language: Language,
        name: &str,
        link: &str,
    ) -> (&'static str, String) {
        let greeting = greeting(language, name);
        let MailTexts {
            subject,
            before,
            after,
        } = self.texts(language);
        let text = format!("{greeting}\n\n{before}\n\n{link}\n\n{after}\n");
        (subject, text)
    }

    fn texts(self, language: Language) -> MailTexts {
        match (self, language) {
            (Self::Verification, Language::English) => MailTexts {
                subject: "Verify your e-mail address",
                before: "follow this link to verify your e-mail address. It works once and expires after 24 hours:",
                after: "If you did not register at Kiroku, ignore this mail.",
            },
            (Self::Verification, Language::French) => MailTexts {
                subject: "Vérifiez votre adresse e-mail",
                before: "suivez ce lien pour vérifier votre adresse e-mail. Il fonctionne une seule fois et expire \
                    après 24 heures :",
                after: "Si vous n’avez pas créé de compte sur Kiroku, ignorez cet e-mail.",
            },
            (Self::Verification, Language::Italian) => MailTexts {
                subject: "Verifica il tuo indirizzo e-mail",
                before: "segui questo link per verificare il tuo indirizzo e-mail. Funziona una sola volta e scade \
                    dopo 24 ore:",
                after: "Se non ti sei registrato su Kiroku, ignora questa e-mail.",
            },
            (Self::Verification, Language::Japanese) => MailTexts {
                subject: "メールアドレスの確認",
                before: "次のリンクを開いて、メールアドレスを確認してください。リンクは一度だけ使え、24時間で無効になります。",
                after: "Kirokuに登録した覚えがない場合は、このメールを無視してください。",
            },
            (Self::Reset, Language::English) => MailTexts {
                subject: "Choose a new password",
                before: "follow this link to choose a new password. It works once and expires after 1 hour:",
                after: "If you did not request it, ignore this mail. Your password stays the same.",
            },
            (Self::Reset, Language::French) => MailTexts {
                subject: "Choisissez un nouveau mot de passe",
                before: "suivez ce lien pour choisir un nouveau mot de passe. Il fonctionne une seule fois et expire \
                    après 1 heure :",
                after: "Si vous ne l’avez pas demandé, ignorez cet e-mail. Votre mot de passe reste le même.",
            },
            (Self::Reset, Language::Italian) => MailTexts {
                subject: "Scegli una nuova password",
                before: "segui questo link per scegliere una nuova password. Funziona una sola volta e scade dopo 1 \
                    ora:",
                after: "Se non l’hai richiesto, ignora questa e-mail. La tua password resta la stessa.",
            },
            (Self::Reset, Language::Japanese) => MailTexts {
                subject: "新しいパスワードの設定",
                before: "次のリンクを開いて、新しいパスワードを設定してください。リンクは一度だけ使え、1時間で無効になります。",
                after: "心当たりがない場合は、このメールを無視してください。パスワードは変わりません。",
            },
        }
    }
}
