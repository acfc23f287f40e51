use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::write::SimpleFileOptions;

use super::*;

fn line(second: u32, out: &str) -> String {
    format!("{{\"level\":\"INFO\",\"time\":\"2024-01-01T00:00:{second:02}Z\",\"out\":\"{out}\"}}\n")
}

/// A zip as a server streams it: the sizes come behind the data.
fn streamed_zip(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new_stream(Vec::new());
    for (name, content) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn stored_zip(content: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    zip.start_file("a", stored).unwrap();
    zip.write_all(content).unwrap();
    zip.finish().unwrap().into_inner()
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn read(bytes: &[u8], piece: usize) -> Result<Log, ArchiveError> {
    let mut sink = LogSink::default();
    for piece in bytes.chunks(piece) {
        if sink.take(piece) != Appetite::More {
            break;
        }
    }
    sink.finish()
}

const TWO_LINES: &str = "[2024-01-01T00:00:01Z] INFO: one\n[2024-01-01T00:00:02Z] INFO: two";

#[test]
fn every_form_of_archive_gives_the_same_lines_in_pieces_of_any_size() {
    let (one, two) = (line(1, "one"), line(2, "two"));
    let both = format!("{two}{one}");
    let archives = [
        ("streamed zip", streamed_zip(&[("b", &two), ("dir/", ""), ("a", &one)])),
        ("stored zip", stored_zip(both.as_bytes())),
        ("gzip", gzip(both.as_bytes())),
        ("two gzip members", [gzip(two.as_bytes()), gzip(one.as_bytes())].concat()),
        ("plain", both.clone().into_bytes()),
    ];
    for (name, archive) in archives {
        for piece in [1, 2, 3, 7, 29, 30, 31, 64, 100_000] {
            let log = read(&archive, piece).unwrap();
            assert_eq!((log.text.as_str(), log.left_out), (TWO_LINES, None), "{name} by {piece}");
        }
    }
}

#[test]
fn an_empty_archive_gives_the_placeholder() {
    for archive in [Vec::new(), b"\n".to_vec(), gzip(b""), streamed_zip(&[])] {
        assert_eq!(read(&archive, 5).unwrap().text, super::super::EMPTY_LOG);
    }
}

#[test]
fn a_cut_archive_is_read_as_far_as_it_goes_and_says_so() {
    let content: String = (0..2000).map(|index| line(1, &format!("{}", index * 7919))).collect();
    for archive in [streamed_zip(&[("a", &content)]), gzip(content.as_bytes())] {
        let log = read(&archive[..archive.len() / 2], 100).unwrap();
        assert!(log.text.contains("INFO: 0\n"));
        assert_eq!(
            log.left_out.as_deref(),
            Some("the archive was not read to its end: it ends early")
        );
    }
}

#[test]
fn a_bomb_is_stopped() {
    let zeros = vec![0; 1 << 20];
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let mut zip = zip::ZipWriter::new_stream(Vec::new());
    zip.start_file("a", SimpleFileOptions::default()).unwrap();
    for _ in 0..300 {
        encoder.write_all(&zeros).unwrap();
        zip.write_all(&zeros).unwrap();
    }
    for archive in [encoder.finish().unwrap(), zip.finish().unwrap().into_inner()] {
        let log = read(&archive, 16 << 10).unwrap();
        assert!(log.left_out.unwrap().contains("unpacks into more than 256 MB"));
        assert!(log.text.len() < 1 << 20);
    }
}

#[test]
fn a_page_and_damaged_archives_are_refused() {
    assert_eq!(read(b"<?xml version='1.0'?><Error/>", 64), Err(ArchiveError::Page));
    assert_eq!(read(b"<html>login</html>", 64), Err(ArchiveError::Page));
    let mut locked = streamed_zip(&[("a", "x")]);
    locked[6] |= 1;
    assert_eq!(read(&locked, 64), Err(ArchiveError::Unsupported("encryption")));
    let mut other = streamed_zip(&[("a", "x")]);
    other[8] = 93;
    assert!(matches!(read(&other, 64), Err(ArchiveError::Unsupported(_))));
    let mut broken = streamed_zip(&[("a", "some text that is long enough")]);
    broken[33] = 0xff;
    assert!(read(&broken, 64).is_err());
}

proptest::proptest! {
    #[test]
    fn no_archive_panics(head in 0usize..4, bytes: Vec<u8>, at in 0usize..200, byte: u8) {
        let magic: [&[u8]; 4] = [b"PK\x03\x04", &[0x1f, 0x8b, 8, 0], b"", b"PK\x05\x06"];
        let _ = read(&[magic[head], &bytes].concat(), 13);
        let mut zip = streamed_zip(&[("a", &line(1, "one")), ("b", &line(2, "two"))]);
        let at = at % zip.len();
        zip[at] = byte;
        let _ = read(&zip, 13);
    }
}
