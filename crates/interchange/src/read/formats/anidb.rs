//! The mylist exports of AniDB: the XML of the template "xml-plain-cs", and the CSV of "csv-adborg" and of the standard
//! template. They have files of episodes and the day on which each was watched, but no statuses: having the file of an
//! episode does not mean that the user has watched it or plans to.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use shared::models::PartialDate;

use super::prelude::*;

pub const XML: Format = Format::Xml(
    ListFormat::Other("AniDB XML"),
    |xml| xml.root == "MyList",
    read_xml,
);

pub const CSV: Format = Format::Table(
    ListFormat::Other("AniDB CSV"),
    |table| table.has(&["aid", "eid", "gid", "lid", "viewdate"]),
    read_csv,
);

/// Anime of which the user has files but no watched episode.
const NOT_WATCHED: &str = "Anime without a watched episode";

/// Returns the number of an episode that counts as progress. `S1`, `C1`, `T1`, `P1` and `O1` are specials, credits,
/// trailers, parodies and others.
fn regular_number(number: &str) -> Option<u32> {
    whole_number(number)
}

/// Returns the day of a time, which can be a number of seconds since 1970.
fn day_of(time: &str) -> Option<String> {
    if time.bytes().all(|byte| byte.is_ascii_digit()) {
        return watched_at(time).map(|ms| PartialDate::of_ms(ms).to_string());
    }
    // The day in the text counts, whatever its time zone is.
    let is_known = watched_at(time).is_some();
    is_known.then(|| time.chars().take(10).collect())
}

fn read_xml(xml: &Xml, collector: &mut EntryCollector) -> ReadResult {
    collector.scale = HighestScore::OfFormat(10.0);
    xml.for_each(collector, |element, collector| {
        if element.name == "Anime" {
            add_anime(collector, element)
        } else {
            Ok(())
        }
    })
}

fn add_anime(collector: &mut EntryCollector, anime: &Element) -> ReadResult {
    let mut watched = WatchedEpisodes::default();
    for episode in anime.children_of("Ep") {
        let number = episode.attribute("EpNo").and_then(regular_number);
        let files = episode.children_of("File");
        let times = files.filter_map(|file| file.attribute("ViewDate"));
        let times: Vec<&str> = times.filter(|time| !time.is_empty()).collect();
        let is_watched = !times.is_empty() || episode.attribute("StateIsWatched") == Some("1");
        if let Some(number) = number.filter(|_| is_watched) {
            watched.last = watched.last.max(number);
            watched.days.extend(times.into_iter().filter_map(day_of));
        }
    }
    if anime.child("Ep").is_none() {
        // Smaller templates have only the number of watched episodes.
        let count = anime.attribute("MyWatchedEps").and_then(regular_number);
        watched.last = count.unwrap_or(0);
    }
    let mut draft = EntryDraft::default();
    draft.add_id(IdSource::Anidb, IdKind::Anime, anime.attribute("Id"));
    draft.set(EntryField::Title, anime.attribute("Name"));
    draft.set(EntryField::Episodes, anime.attribute("Eps"));
    draft.set(EntryField::Format, anime.attribute("TypeName"));
    // Until the end of an anime, a user can only give it a temporary vote.
    let mut votes = ["MyVote", "MyTmpVote"].into_iter();
    let is_vote = |vote: &&str| vote.parse().is_ok_and(|vote: f64| vote > 0.0);
    let vote = votes.find_map(|name| anime.attribute(name).filter(is_vote));
    draft.set(EntryField::Score, vote);
    let episodes = anime.attribute("Eps").and_then(regular_number);
    watched.add(collector, draft, episodes)
}

#[derive(Default)]
struct WatchedEpisodes {
    /// The number of the last watched episode.
    last: u32,
    days: BTreeSet<String>,
}

impl WatchedEpisodes {
    fn add(
        self,
        collector: &mut EntryCollector,
        mut draft: EntryDraft,
        episodes: Option<u32>,
    ) -> ReadResult {
        if self.last == 0 {
            return collector.leave_out(NOT_WATCHED);
        }
        let is_completed = episodes.is_some_and(|episodes| episodes > 0 && self.last >= episodes);
        draft.status = Some(if is_completed {
            WatchStatus::Completed
        } else {
            WatchStatus::Current
        });
        draft.set_number(EntryField::CurrentEpisode, Some(self.last));
        draft.set(EntryField::StartedOn, self.days.first().cloned());
        let end = self.days.last().cloned().filter(|_| is_completed);
        draft.set(EntryField::FinishedOn, end);
        collector.add(&draft)
    }
}

/// The files of an anime in CSV.
#[derive(Default)]
struct AniDbFiles {
    title: String,
    episodes: BTreeSet<String>,
    days: BTreeSet<String>,
}

fn read_csv(table: &TextTable, collector: &mut EntryCollector) -> ReadResult {
    let mut has_episodes = false;
    let mut files: IndexMap<String, AniDbFiles> = IndexMap::default();
    table.for_each(collector, |row: &TableRow, _| {
        let id = row.cell("aid").unwrap_or_default().to_owned();
        let anime = files.entry(id).or_default();
        if anime.title.is_empty() {
            let title = row.value(&["anime_name", "name"]).unwrap_or_default();
            title.clone_into(&mut anime.title);
        }
        // The column `status` or `state` is about the file, for example "on the disk".
        if let Some(day) = row.cell("viewdate").and_then(day_of) {
            has_episodes = true;
            let episode = row.cell("eid").unwrap_or_default();
            anime.episodes.insert(episode.to_owned());
            anime.days.insert(day);
        }
        Ok(())
    })?;
    if has_episodes {
        collector.remark(
            "The file does not number the episodes, so the number of watched episodes, special ones included, was \
             taken as the current episode.",
        );
    }
    for (id, anime) in files {
        let mut draft = EntryDraft::default();
        draft.add_id(IdSource::Anidb, IdKind::Anime, Some(&id));
        draft.set(EntryField::Title, Some(anime.title));
        let watched = WatchedEpisodes {
            last: u32::try_from(anime.episodes.len()).unwrap_or(u32::MAX),
            days: anime.days,
        };
        watched.add(collector, draft, None)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::{list, zip_of};

    const XML: &str = r#"<?xml version="1.0" encoding="utf-8"?>
        <MyList><User Id="1" Name="x" />
        <Anime Id="7" Eps="24" TypeName="TV Series" Name="Kumo &no;" MyVote="7.5" MyTmpVote="NaN">
        <Ep Id="1" EpNo="1" StateIsWatched="1"><File ViewDate="2026-01-05T20:00:00Z" MyState="1" /></Ep>
        <Ep Id="2" EpNo="2" StateIsWatched="1"><File ViewDate="" /><File ViewDate="2026-01-06T20:00:00Z" /></Ep>
        <Ep Id="3" EpNo="3"><File ViewDate="" MyState="1" /></Ep>
        <Ep Id="4" EpNo="S5" StateIsWatched="1"><File ViewDate="2026-01-07T20:00:00Z" /></Ep></Anime>
        <Anime Id="8" Eps="1" TypeName="Movie" Name="Hoshi &amp; &#x41; & Co" MyVote="NaN" MyTmpVote="8">
        <Ep Id="5" EpNo="1"><File ViewDate="2025-12-24T20:00:00Z" /></Ep></Anime>
        <Anime Id="9" Eps="26" TypeName="OVA" Name="Umi" MyVote="NaN">
        <Ep Id="6" EpNo="1"><File ViewDate="" /></Ep></Anime>
        </MyList>"#;

    const EXPECTED: [&str; 2] = [
        "anidb anime 7 \"Kumo &no;\" CURRENT 2/24 75 2026-01-05",
        "anidb anime 8 \"Hoshi & A & Co\" COMPLETED 1/1 80 2025-12-24 2025-12-24",
    ];

    #[test]
    fn watched_episodes_have_a_day() {
        let archive = zip_of(&[("x/mylist.xml", XML), ("x/readme.txt", "x")]);
        for file in [XML.as_bytes().to_vec(), archive] {
            let file = list(file);
            file.assert_entries(&EXPECTED);
            file.assert_remarks(&["Anime without a watched episode that were left out: 1."]);
        }
    }

    #[test]
    fn files_of_an_episode_count_once() {
        let file = list(
            "aid,eid,gid,lid,status,viewdate,anime_name,episode_name\n\
             7,1,1,1,1,1767643200,Kumo,One\n7,1,2,2,1,1767643300,Kumo,One\n\
             7,2,1,3,1,0,Kumo,Two\n8,3,1,4,1,0,Hoshi,One\n",
        );
        file.assert_entries(&["anidb anime 7 \"Kumo\" CURRENT 1 2026-01-05"]);
        assert_eq!(file.remarks.len(), 2);
        let standard =
            "lid,fid,eid,aid,gid,date,state,viewdate,storage\n1,1,1,7,1,0,1,1767643200,x\n";
        list(standard).assert_entries(&["anidb anime 7 CURRENT 1 2026-01-05"]);
    }
}
