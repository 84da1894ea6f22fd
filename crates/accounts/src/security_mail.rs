//! Mails that tell users of changes which could let another person in.
//!
//! The texts are in this crate for the reason that [`crate::mail_text`] states.

use shared::models::Language;
use shared::visible::is_hidden;

use crate::mail_text::greeting;

/// The maximum number of characters of a name in a mail.
const MAX_NAME: usize = 60;

/// A change of an account of which its user is notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecurityEvent<'e> {
    /// The password was changed or set.
    PasswordChanged,
    /// The e-mail address was changed. The mail goes to the old address.
    EmailChanged,
    /// A passkey with this name was added.
    PasskeyAdded(&'e str),
    /// The passkey with this name was removed.
    PasskeyRemoved(&'e str),
    /// The signature counter of the passkey with this name went back, so there may be a copy of it.
    PasskeyCopied(&'e str),
    /// The account at the identity provider with this name was connected.
    ProviderConnected(&'e str),
    /// The account at the identity provider with this name was disconnected.
    ProviderDisconnected(&'e str),
    /// A second factor was set up.
    SecondFactorAdded,
    /// The second factor was removed.
    SecondFactorRemoved,
    /// A recovery code was used.
    RecoveryCodeUsed,
    /// New recovery codes were made, which replace the earlier ones.
    RecoveryCodesRenewed,
    /// The OAuth application with this name was connected.
    ApplicationConnected(&'e str),
    /// An account at the tracker with this name was connected.
    TrackerConnected(&'e str),
    /// A player with this name was added.
    PlayerAdded(&'e str),
    /// A browser that was not seen before has signed in. It has this name, such as `Firefox, Linux`.
    NewBrowser(&'e str),
}

impl SecurityEvent<'_> {
    /// Returns the kind of the mail, by which mails are counted. Each event has its own, so that many harmless changes
    /// do not keep back the mail about another one.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::PasswordChanged => "notice_password",
            Self::EmailChanged => "notice_email",
            Self::PasskeyAdded(_) => "notice_passkey_added",
            Self::PasskeyRemoved(_) => "notice_passkey_removed",
            Self::PasskeyCopied(_) => "notice_passkey_copied",
            Self::ProviderConnected(_) => "notice_provider_connected",
            Self::ProviderDisconnected(_) => "notice_provider_disconnected",
            Self::SecondFactorAdded => "notice_second_factor_added",
            Self::SecondFactorRemoved => "notice_second_factor_removed",
            Self::RecoveryCodeUsed => "notice_recovery_code",
            Self::RecoveryCodesRenewed => "notice_recovery_codes",
            Self::ApplicationConnected(_) => "notice_application",
            Self::TrackerConnected(_) => "notice_tracker",
            Self::PlayerAdded(_) => "notice_player",
            Self::NewBrowser(_) => "notice_browser",
        }
    }

    /// Returns the subject and the text of the mail for the user with this name. `link` is the address of the page with
    /// the ways to sign in and the sessions.
    pub(crate) fn compose(
        self,
        language: Language,
        name: &str,
        link: &str,
    ) -> (&'static str, String) {
        let subject = match language {
            Language::English => "Security notice for your account",
            Language::French => "Avis de sécurité pour votre compte",
            Language::Italian => "Avviso di sicurezza per il tuo account",
            Language::Japanese => "アカウントのセキュリティに関するお知らせ",
        };
        let advice = match language {
            Language::English => {
                "If it was you, there is nothing to do. If it was not, change your password and sign out every browser \
                 that you do not recognize:"
            }
            Language::French => {
                "Si c’était vous, vous n’avez rien à faire. Sinon, changez votre mot de passe et déconnectez les \
                 navigateurs que vous ne reconnaissez pas :"
            }
            Language::Italian => {
                "Se sei stato tu, non devi fare nulla. Altrimenti cambia la password e fai uscire i browser che non \
                 riconosci:"
            }
            Language::Japanese => {
                "ご自身による操作であれば、何もする必要はありません。心当たりがない場合は、パスワードを変更し、\
                 見覚えのないブラウザーをログアウトさせてください。"
            }
        };
        let sentence = match language {
            Language::English => self.in_english(),
            Language::French => self.in_french(),
            Language::Italian => self.in_italian(),
            Language::Japanese => self.in_japanese(),
        };
        let greeting = greeting(language, name);
        let text = format!("{greeting}\n\n{sentence}\n\n{advice}\n\n{link}\n");
        (subject, text)
    }

    fn in_english(self) -> String {
        match self {
            Self::PasswordChanged => "the password of your Kiroku account was changed.".to_owned(),
            Self::EmailChanged => {
                "your Kiroku account now has another e-mail address. This address no longer belongs to it.".to_owned()
            }
            Self::PasskeyAdded(name) => {
                format!("the passkey “{}” was added to your Kiroku account.", shown(name))
            }
            Self::PasskeyRemoved(name) => {
                format!("the passkey “{}” was removed from your Kiroku account.", shown(name))
            }
            Self::PasskeyCopied(name) => format!(
                "we refused a sign-in to your Kiroku account with the passkey “{}”, because there may be a copy of it. \
                 Remove this passkey, and add a new one.",
                shown(name)
            ),
            Self::ProviderConnected(name) => {
                format!("your Kiroku account can now be signed in to with {}.", shown(name))
            }
            Self::ProviderDisconnected(name) => {
                format!("your Kiroku account can no longer be signed in to with {}.", shown(name))
            }
            Self::SecondFactorAdded => {
                "a second factor was set up for your Kiroku account. Signing in with the password now needs a code."
                    .to_owned()
            }
            Self::SecondFactorRemoved => {
                "the second factor of your Kiroku account was removed.".to_owned()
            }
            Self::RecoveryCodesRenewed => {
                "new recovery codes were made for your Kiroku account. The earlier ones no longer work.".to_owned()
            }
            Self::RecoveryCodeUsed => {
                "a recovery code was used to sign in to your Kiroku account. It does not work again.".to_owned()
            }
            Self::ApplicationConnected(name) => format!(
                "the application “{}” was connected to your Kiroku account.",
                shown(name)
            ),
            Self::TrackerConnected(name) => {
                format!("an account at {} was connected to your Kiroku account.", shown(name))
            }
            Self::PlayerAdded(name) => {
                format!("the player “{}” was added to your Kiroku account.", shown(name))
            }
            Self::NewBrowser("") => {
                "your Kiroku account was signed in to in a browser for the first time.".to_owned()
            }
            Self::NewBrowser(name) => format!(
                "your Kiroku account was signed in to in this browser for the first time: {}.",
                shown(name)
            ),
        }
    }

    fn in_french(self) -> String {
        match self {
            Self::PasswordChanged => {
                "le mot de passe de votre compte Kiroku a été modifié.".to_owned()
            }
            Self::EmailChanged => {
                "votre compte Kiroku a maintenant une autre adresse e-mail. Celle-ci n’y est plus liée.".to_owned()
            }
            Self::PasskeyAdded(name) => format!(
                "la clé d’accès « {} » a été ajoutée à votre compte Kiroku.",
                shown(name)
            ),
            Self::PasskeyRemoved(name) => format!(
                "la clé d’accès « {} » a été retirée de votre compte Kiroku.",
                shown(name)
            ),
            Self::PasskeyCopied(name) => format!(
                "nous avons refusé une connexion à votre compte Kiroku avec la clé d’accès « {} », car il en existe \
                 peut-être une copie. Retirez cette clé d’accès et ajoutez-en une nouvelle.",
                shown(name)
            ),
            Self::ProviderConnected(name) => format!(
                "il est maintenant possible de se connecter à votre compte Kiroku avec {}.",
                shown(name)
            ),
            Self::ProviderDisconnected(name) => format!(
                "il n’est plus possible de se connecter à votre compte Kiroku avec {}.",
                shown(name)
            ),
            Self::SecondFactorAdded => {
                "un second facteur a été configuré pour votre compte Kiroku. La connexion avec le mot de passe demande \
                 maintenant un code."
                    .to_owned()
            }
            Self::SecondFactorRemoved => {
                "le second facteur de votre compte Kiroku a été supprimé.".to_owned()
            }
            Self::RecoveryCodesRenewed => {
                "de nouveaux codes de secours ont été créés pour votre compte Kiroku. Les anciens ne fonctionnent plus."
                    .to_owned()
            }
            Self::RecoveryCodeUsed => {
                "un code de secours a servi à se connecter à votre compte Kiroku. Il ne fonctionne plus.".to_owned()
            }
            Self::ApplicationConnected(name) => format!(
                "l’application « {} » a été connectée à votre compte Kiroku.",
                shown(name)
            ),
            Self::TrackerConnected(name) => format!(
                "un compte {} a été lié à votre compte Kiroku.",
                shown(name)
            ),
            Self::PlayerAdded(name) => format!(
                "le lecteur « {} » a été ajouté à votre compte Kiroku.",
                shown(name)
            ),
            Self::NewBrowser("") => {
                "un navigateur s’est connecté à votre compte Kiroku pour la première fois.".to_owned()
            }
            Self::NewBrowser(name) => format!(
                "ce navigateur s’est connecté à votre compte Kiroku pour la première fois : {}.",
                shown(name)
            ),
        }
    }

    fn in_italian(self) -> String {
        match self {
            Self::PasswordChanged => {
                "la password del tuo account Kiroku è stata cambiata.".to_owned()
            }
            Self::EmailChanged => {
                "il tuo account Kiroku ha ora un altro indirizzo e-mail. Questo non è più collegato.".to_owned()
            }
            Self::PasskeyAdded(name) => format!(
                "la passkey “{}” è stata aggiunta al tuo account Kiroku.",
                shown(name)
            ),
            Self::PasskeyRemoved(name) => format!(
                "la passkey “{}” è stata rimossa dal tuo account Kiroku.",
                shown(name)
            ),
            Self::PasskeyCopied(name) => format!(
                "abbiamo rifiutato un accesso al tuo account Kiroku con la passkey “{}”, perché potrebbe esisterne una \
                 copia. Rimuovi questa passkey e aggiungine una nuova.",
                shown(name)
            ),
            Self::ProviderConnected(name) => format!(
                "ora si può accedere al tuo account Kiroku con {}.",
                shown(name)
            ),
            Self::ProviderDisconnected(name) => format!(
                "non si può più accedere al tuo account Kiroku con {}.",
                shown(name)
            ),
            Self::SecondFactorAdded => {
                "è stato configurato un secondo fattore per il tuo account Kiroku. L’accesso con la password richiede \
                 ora un codice."
                    .to_owned()
            }
            Self::SecondFactorRemoved => {
                "il secondo fattore del tuo account Kiroku è stato rimosso.".to_owned()
            }
            Self::RecoveryCodesRenewed => {
                "sono stati creati nuovi codici di recupero per il tuo account Kiroku. Quelli precedenti non \
                 funzionano più."
                    .to_owned()
            }
            Self::RecoveryCodeUsed => {
                "un codice di recupero è stato usato per accedere al tuo account Kiroku. Non funziona più.".to_owned()
            }
            Self::ApplicationConnected(name) => format!(
                "l’applicazione “{}” è stata connessa al tuo account Kiroku.",
                shown(name)
            ),
            Self::TrackerConnected(name) => format!(
                "un account {} è stato collegato al tuo account Kiroku.",
                shown(name)
            ),
            Self::PlayerAdded(name) => format!(
                "il lettore “{}” è stato aggiunto al tuo account Kiroku.",
                shown(name)
            ),
            Self::NewBrowser("") => {
                "un browser ha effettuato per la prima volta l’accesso al tuo account Kiroku.".to_owned()
            }
            Self::NewBrowser(name) => format!(
                "questo browser ha effettuato per la prima volta l’accesso al tuo account Kiroku: {}.",
                shown(name)
            ),
        }
    }

    fn in_japanese(self) -> String {
        match self {
            Self::PasswordChanged => "Kirokuのアカウントのパスワードが変更されました。".to_owned(),
            Self::EmailChanged => {
                "Kirokuのアカウントのメールアドレスが変更されました。このアドレスは登録から外れました。".to_owned()
            }
            Self::PasskeyAdded(name) => {
                format!("Kirokuのアカウントにパスキー「{}」が追加されました。", shown(name))
            }
            Self::PasskeyRemoved(name) => {
                format!("Kirokuのアカウントからパスキー「{}」が削除されました。", shown(name))
            }
            Self::PasskeyCopied(name) => format!(
                "複製されたおそれがあるため、パスキー「{}」によるKirokuのアカウントへのログインを拒否しました。\
                 このパスキーを削除し、新しいパスキーを追加してください。",
                shown(name)
            ),
            Self::ProviderConnected(name) => {
                format!("{}でKirokuのアカウントにログインできるようになりました。", shown(name))
            }
            Self::ProviderDisconnected(name) => {
                format!("{}でKirokuのアカウントにログインできなくなりました。", shown(name))
            }
            Self::SecondFactorAdded => {
                "Kirokuのアカウントに二段階認証が設定されました。パスワードでのログインにはコードが必要になります。"
                    .to_owned()
            }
            Self::SecondFactorRemoved => {
                "Kirokuのアカウントの二段階認証が解除されました。".to_owned()
            }
            Self::RecoveryCodesRenewed => {
                "Kirokuのアカウントの新しいリカバリーコードが作成されました。以前のコードはもう使えません。".to_owned()
            }
            Self::RecoveryCodeUsed => {
                "Kirokuのアカウントへのログインにリカバリーコードが使われました。このコードはもう使えません。".to_owned()
            }
            Self::ApplicationConnected(name) => {
                format!("Kirokuのアカウントにアプリ「{}」が連携されました。", shown(name))
            }
            Self::TrackerConnected(name) => {
                format!("Kirokuのアカウントに{}のアカウントが連携されました。", shown(name))
            }
            Self::PlayerAdded(name) => {
                format!("Kirokuのアカウントにプレーヤー「{}」が追加されました。", shown(name))
            }
            Self::NewBrowser("") => {
                "初めてのブラウザーからKirokuのアカウントへのログインがありました。".to_owned()
            }
            Self::NewBrowser(name) => {
                format!("初めてのブラウザーからKirokuのアカウントへのログインがありました：{}", shown(name))
            }
        }
    }
}

/// Returns a name as a mail shows it: without invisible characters and line breaks, and shortened.
fn shown(name: &str) -> String {
    let visible: String = name
        .chars()
        .filter(|character| !is_hidden(*character))
        .collect();
    let words: Vec<&str> = visible.split_whitespace().collect();
    let name = words.join(" ");
    if name.chars().count() <= MAX_NAME {
        return name;
    }
    let beginning: String = name.chars().take(MAX_NAME - 1).collect();
    format!("{}…", beginning.trim_end())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use shared::models::Language;

    use super::{SecurityEvent, shown};

    const EVENTS: [SecurityEvent<'static>; 16] = [
        SecurityEvent::PasswordChanged,
        SecurityEvent::EmailChanged,
        SecurityEvent::PasskeyAdded("Phone"),
        SecurityEvent::PasskeyRemoved("Phone"),
        SecurityEvent::PasskeyCopied("Phone"),
        SecurityEvent::ProviderConnected("Phone"),
        SecurityEvent::ProviderDisconnected("Phone"),
        SecurityEvent::SecondFactorAdded,
        SecurityEvent::SecondFactorRemoved,
        SecurityEvent::RecoveryCodeUsed,
        SecurityEvent::RecoveryCodesRenewed,
        SecurityEvent::ApplicationConnected("Phone"),
        SecurityEvent::TrackerConnected("Phone"),
        SecurityEvent::PlayerAdded("Phone"),
        SecurityEvent::NewBrowser("Phone"),
        SecurityEvent::NewBrowser(""),
    ];

    #[test]
    fn every_event_has_its_own_text_in_each_language() {
        let link = "https://kiroku.test/profile/security";
        let mut texts = BTreeSet::new();
        for language in Language::ALL {
            for event in EVENTS {
                let (subject, text) = event.compose(language, "mitsuha", link);
                assert!(!subject.is_empty());
                assert!(text.contains("mitsuha") && text.contains(link), "{text}");
                let has_name = format!("{event:?}").contains("Phone");
                assert_eq!(text.contains("Phone"), has_name, "{text}");
                assert!(!text.contains("  "), "{text}");
                assert!(texts.insert(text), "{event:?} {language:?}");
            }
        }
        let kinds: BTreeSet<&str> = EVENTS.map(SecurityEvent::kind).into();
        // Both texts for a new browser are of one kind.
        assert_eq!(kinds.len(), EVENTS.len() - 1);
    }

    #[test]
    fn names_are_shown_in_one_short_line() {
        assert_eq!(shown("Radio Itomori"), "Radio Itomori");
        assert_eq!(
            shown("a\r\nSubject: b\u{202e}\u{200b}\0 c"),
            "aSubject: b c"
        );
        assert_eq!(shown("  a \u{3000} b "), "a b");
        let long = shown(&"記".repeat(61));
        assert_eq!(long, format!("{}…", "記".repeat(59)));
        assert_eq!(shown(&"記".repeat(60)).chars().count(), 60);
    }
}
