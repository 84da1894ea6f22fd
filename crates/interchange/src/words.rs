//! The words for statuses and for columns in several languages, for tables that people keep themselves.

use shared::models::WatchStatus;

use super::collector::kinds;
use super::field::{EntryField, find_meaning, normalize};

/// The words for each status that are added to those of all formats, in lower case, without spaces and punctuation, and
/// separated by spaces.
const STATUS_WORDS: [(WatchStatus, &str); 6] = [
    (
        WatchStatus::Completed,
        "yes ja oui sí はい done seen finishedwatching watchedall gesehen abgeschlossen fertig beendet geschaut \
         angesehen zuendegesehen fertiggesehen 視聴済み 視聴済 視聴完了 見た 観た 完了 完走 見終わった terminé \
         terminée termine vu vue fini finie complété complet achevé completado completada \
         visto vista terminado terminada finalizado finalizada acabado assistido \
         concluído concluido completato finito 看过 已看 看完 看過 완료 просмотрено завершено",
    ),
    (
        WatchStatus::Current,
        "watchingnow nowwatching inprogress started iamwatching \
         schaue schaueich schaueichgerade schauegerade amschauen binamschauen wirdgeschaut \
         läuft aktuell laufend inarbeit inbearbeitung angefangen begonnen 視聴中 見てる 見ている 観ている 進行中 encours \
         encoursdevisionnage jeregarde envisionnage regarde viendo viendolo encurso \
         enprogreso mirando assistindo emandamento incorso 在看 시청중 смотрю",
    ),
    (
        WatchStatus::Planning,
        "no nein non いいえ plan ptw towatch notstarted notyetstarted notwatched unwatched backlog watchlist \
         wishlist queue queued todo later watchlater upnext wanttosee geplant \
         nichtbegonnen nichtangefangen nochnichtbegonnen nichtgestartet nochnichtgesehen nichtgesehen \
         ungesehen merkliste wunschliste willichsehen möchteichsehen 見たい 観たい 視聴予定 未視聴 \
         これから これから見る 予定 未着手 àvoir avoir prévu prévue planifié pascommencé noncommencé envie \
         àregarder porver paraver pendiente pendientes planeado planeada quierover sinempezar \
         noempezado planejado paraassistir davedere 想看 запланировано",
    ),
    (
        WatchStatus::Paused,
        "pause pausing onbreak pausiert pausierend unterbrochen zurückgestellt aufeis \
         wartend 一時停止 一時中断 中断 中断中 保留 保留中 enpause enattente suspendu enpausa enespera pausado \
         pausada emespera inpausa insospeso 搁置 отложено",
    ),
    (
        WatchStatus::Dropped,
        "drop abandoned stopped stoppedwatching gaveup quit discontinued abgebrochen \
         aufgegeben abgesetzt verworfen 視聴中止 中止 切った 断念 やめた abandonné abandonnée abandon \
         arrêté laissétomber abandonado abandonada dejado dejada desistido abbandonato \
         droppato 抛弃 弃番 брошено",
    ),
    (
        WatchStatus::Repeating,
        "rewatch watchingagain rewatchinprogress schaueicherneut erneutamschauen nochmal schauenochmal \
         wiederholung 再視聴 再視聴中 見返し中 二周目 revisionnage jerevois reviendo reassistindo",
    ),
];

/// Returns the status that a word means in one of several languages. Case, spaces, punctuation and emoji do not matter.
pub fn find_status(text: &str) -> Option<WatchStatus> {
    find_meaning(&STATUS_WORDS, &normalize(text))
}

/// The names of columns in several languages that are added to those of all formats.
const COLUMN_WORDS: [(EntryField, &str); 10] = [
    (
        EntryField::Title,
        "animetitle animename anime titel タイトル 作品名 作品 アニメ 名前 題名 titre nom título titulo \
         nombre titolo 标题 名称 제목",
    ),
    (
        EntryField::Status,
        "state watched seen watchingstatus gesehen geschaut 視聴済み vu vue visto vista \
         zustand stand ステータス 状態 状況 視聴状況 視聴ステータス statut état etat estado \
         stato 状态 상태 статус",
    ),
    (
        EntryField::CurrentEpisode,
        "episode lastepisode folge gesehenefolgen fortschritt letztefolge 進捗 視聴話数 話 épisode \
         épisodesvus progression episodio progreso capítulo capitulo episodiosvistos \
         progresso episódio",
    ),
    (
        EntryField::Episodes,
        "folgen episoden 話数 全話数 épisodes episodios episódios episodi",
    ),
    (
        EntryField::Score,
        "myrating stars bewertung wertung punkte sterne 評価 点数 スコア 評点 得点 evaluation évaluation \
         puntuación puntuacion calificación calificacion valoración valoracion nota voto 评分 \
         평점",
    ),
    (
        EntryField::StartedOn,
        "started start begin begun datestarted begonnen gestartet angefangen startdatum \
         beginn 開始日 視聴開始日 開始 début debut datededébut commencé commencéle inicio fechadeinicio \
         empezado início inizio",
    ),
    (
        EntryField::FinishedOn,
        "finished completed completedon datecompleted datefinished end ended enddate \
         datewatched watchedon watcheddate beendet abgeschlossen abgeschlossenam enddatum \
         gesehenam fertig fertigam ende 終了日 完了日 視聴終了日 視聴日 終了 fin datedefin terminé terminéle \
         vule fechadefin terminado terminadoel finalizado vistoel fim fine",
    ),
    (
        EntryField::Notes,
        "comment remarks notizen notiz kommentar kommentare anmerkung anmerkungen bemerkung \
         bemerkungen メモ 備考 感想 コメント commentaire commentaires remarque remarques notas \
         comentario comentarios comentário comentários",
    ),
    (
        EntryField::Year,
        "releaseyear jahr erscheinungsjahr 年 放送年 année annee año anno ano",
    ),
    (
        EntryField::Repeats,
        "rewatched timesrewatched wiederholungen revisionnages 再視聴回数",
    ),
];

/// Returns the field that a column's name means in one of several languages.
pub fn find_column(name: &str) -> Option<EntryField> {
    find_meaning(&COLUMN_WORDS, &normalize(name))
}

/// The words for things other than anime in a column about the kind of a row, with the kind for remarks. Words that are
/// also genres of anime, such as "drama" and "music", are not among them.
const OTHER_KINDS: [(&str, &str); 3] = [
    (
        kinds::MANGA,
        "manga manhwa manhua lightnovel novel ranobe book books comic comics buch bücher roman livre libro 漫画 マンガ \
         コミック 小説 ラノベ 本",
    ),
    (
        kinds::NO_ANIME,
        "liveaction kdrama jdrama dorama realfilm realserie 実写",
    ),
    (
        kinds::OTHER_MEDIA,
        "game games videogame videogames visualnovel spiel spiele jeu juego ゲーム podcast",
    ),
];

/// Returns the kind of a row, one of [`kinds`], if a word says that it is not an anime.
pub fn find_other_kind(text: &str) -> Option<&'static str> {
    find_meaning(&OTHER_KINDS, &normalize(text))
}

#[cfg(test)]
mod tests {
    use shared::models::WatchStatus;

    use super::{COLUMN_WORDS, STATUS_WORDS, find_column, find_status};
    use crate::field::{EntryField, normalize};

    #[test]
    fn statuses_are_read_in_several_languages() {
        for (text, status) in [
            ("✅ Done", WatchStatus::Completed),
            ("Watching now", WatchStatus::Current),
            ("Not started", WatchStatus::Planning),
            ("Gesehen", WatchStatus::Completed),
            ("視聴中", WatchStatus::Current),
            ("À voir", WatchStatus::Planning),
            ("En pause", WatchStatus::Paused),
            ("Abandonado", WatchStatus::Dropped),
        ] {
            assert_eq!(find_status(text), Some(status), "{text}");
        }
        assert_eq!(find_status("purple"), None);
        assert_eq!(find_status(""), None);
    }

    #[test]
    fn columns_are_read_in_several_languages() {
        for (name, field) in [
            ("Beendet", EntryField::FinishedOn),
            ("タイトル", EntryField::Title),
            ("Épisode", EntryField::CurrentEpisode),
            ("Puntuación", EntryField::Score),
        ] {
            assert_eq!(find_column(name), Some(field), "{name}");
        }
        assert_eq!(find_column("Genre"), None);
    }

    #[test]
    fn words_are_unique_and_plain() {
        let statuses = STATUS_WORDS.iter().flat_map(|(_, words)| words.split(' '));
        let columns = COLUMN_WORDS.iter().flat_map(|(_, words)| words.split(' '));
        for mut words in [statuses.collect::<Vec<&str>>(), columns.collect()] {
            for word in &words {
                assert_eq!(normalize(word), *word);
            }
            let count = words.len();
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), count);
        }
    }
}
