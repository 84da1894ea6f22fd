//! Archives, whose members are read by their names.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{error, gzip, list};

const LIST: &str = include_str!("fixtures/my_anime_list.xml");

fn zip_of<'f>(
    files: impl IntoIterator<Item = (&'f str, &'f [u8])>,
    method: CompressionMethod,
) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(method);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        archive.start_file(name, options).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    zip_of(files.iter().copied(), CompressionMethod::Deflated)
}

fn tar_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        archive.append_data(&mut header, name, *content).unwrap();
    }
    archive.into_inner().unwrap()
}

#[test]
fn archive_with_one_list_is_that_list() {
    let expected = list(LIST);
    let files = [("exports/animelist.xml", LIST.as_bytes())];
    let extra = [
        ("__MACOSX/exports/._animelist.xml", &b"x"[..]),
        ("exports/.DS_Store", b"x"),
        files[0],
    ];
    let tar = tar_of(&files);
    for archive in [packed(&files), packed(&extra), gzip(&tar), tar] {
        assert_eq!(list(archive), expected);
    }
}

#[test]
fn archives_of_no_list_are_named() {
    let archive = packed(&[("a/one.csv", b"x"), ("two.txt", b"y")]);
    assert_eq!(
        error(archive),
        "The archive is not of a list that is known. Its files are \"a/one.csv\", \"two.txt\"."
    );
    let many: Vec<String> = (1..=6).map(|number| format!("{number}.txt")).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    assert!(error(packed(&many)).ends_with("\"4.txt\", \"5.txt\", \"…\"."));
    assert_eq!(error(packed(&[])), "The archive has no files.");
    let workbook = packed(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("xl/workbook.xml", b"<workbook/>"),
    ]);
    assert_eq!(
        error(workbook),
        "The file is a workbook of a spreadsheet program. Save it as CSV, and send that."
    );
    let xml = LIST.as_bytes();
    let archive = packed(&[("list.xml", xml), ("other.xml", xml)]);
    let expected = "The archive is damaged or incomplete: it cannot be unpacked.";
    assert_eq!(error(&archive[..archive.len() - 30]), expected);
}

#[test]
fn list_among_other_files_is_found() {
    let expected = list(LIST);
    let archive = packed(&[
        ("readme.txt", b"Thank you for using the service."),
        ("animelist.xml.gz", &gzip(LIST.as_bytes())),
    ]);
    assert_eq!(list(archive), expected);
    let all = b"mal_id,status\n7,Completed\n8,Dropped\n";
    let some = b"mal_id,status\n7,Completed\n";
    let notion = [("Anime 1a2b.csv", &some[..]), ("Anime 1a2b_all.csv", all)];
    assert_eq!(list(packed(&notion)).entries.len(), 2);
    let two = [("one.csv", &some[..]), ("two.csv", all)];
    assert_eq!(
        error(packed(&two)),
        "The archive has several lists. Send each of them alone: \"one.csv\", \"two.csv\"."
    );
}

#[test]
fn encrypted_archives_are_refused() {
    let mut archive = packed(&[("one.csv", b"x"), ("two.csv", b"y")]);
    let headers = [(&b"PK\x03\x04"[..], 6), (b"PK\x01\x02", 8)];
    for (start, flags) in headers {
        let places: Vec<usize> = (0..archive.len() - 4)
            .filter(|at| archive[*at..].starts_with(start))
            .collect();
        for at in places {
            archive[at + flags] |= 1;
        }
    }
    let message = error(archive);
    let expected = "The archive is encrypted with a password.";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn names_that_leave_their_folder_are_refused() {
    let names = "../one.csv a/../../one.csv /one.csv a\\..\\one.csv";
    for name in names.split(' ') {
        let message = error(packed(&[(name, b"x"), ("two.csv", b"y")]));
        assert!(message.contains("leaves its folder"), "{name}: {message}");
    }
}

#[test]
fn archives_that_unpack_to_too_much_are_refused() {
    let zeros = vec![b'0'; 20_000_000];
    assert_eq!(
        error(packed(&[("one.csv", &zeros), ("two.csv", b"y")])),
        "The archive has a file that becomes more than 100 times longer when it is unpacked. It is not read."
    );
    let many = ["1.csv", "2.csv", "3.csv", "4.csv"].map(|name| (name, &zeros[..]));
    let expected = "The archive is longer than 64 MB when unpacked.";
    assert_eq!(error(zip_of(many, CompressionMethod::Stored)), expected);
    let all: Vec<String> = (0..501).map(|number| format!("{number}.csv")).collect();
    let files: Vec<(&str, &[u8])> = all.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    for archive in [packed(&files), tar_of(&files)] {
        assert_eq!(error(archive), "The archive has more than 500 files.");
    }
}

#[test]
fn members_that_are_not_texts_are_named() {
    let inner = packed(&[("list.xml", LIST.as_bytes())]);
    for inner in [inner, tar_of(&[("list.xml", LIST.as_bytes())])] {
        assert_eq!(
            error(packed(&[("a/inner", &inner)])),
            "The archive has another archive in it. Unpack it, and send the archive inside. The file \"a/inner\" of \
             the archive was not read."
        );
    }
    assert_eq!(
        error(packed(&[("one.csv", b"title\0\0")])),
        "The file is not a text file: it has NUL bytes. The file \"one.csv\" of the archive was not read."
    );
}

#[test]
fn members_that_unpack_to_too_much_end_the_reading() {
    let bomb = gzip(&vec![b' '; 1_000_000]).repeat(70);
    let archive = packed(&[("bomb.gz", &bomb), ("list.xml", LIST.as_bytes())]);
    let expected = "The file is longer than 64 MB when unpacked.";
    assert_eq!(error(archive), expected);
}

#[test]
fn lengths_that_an_archive_states_are_not_trusted() {
    let zeros = vec![b'0'; 20_000_000];
    let mut archive = packed(&[("one.csv", &zeros)]);
    let length = u32::try_from(zeros.len()).unwrap().to_le_bytes();
    let places: Vec<usize> = (0..archive.len() - 4)
        .filter(|at| archive[*at..].starts_with(&length))
        .collect();
    assert!(!places.is_empty());
    for at in places {
        archive[at..at + 4].copy_from_slice(&100_u32.to_le_bytes());
    }
    let message = error(archive);
    assert!(message.starts_with("The archive"), "{message}");
}
