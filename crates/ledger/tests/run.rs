//! A run directory as several processes, a killed one and a meddler leave it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it stands")]

use std::fs;
use std::io::Write;
use std::thread;

use checkrein_ledger::{Damage, Event, Ledger, LedgerError, read};

fn forwarded(attempt: u64) -> Event {
    Event::Forwarded { attempt }
}

fn attempts(directory: &std::path::Path) -> Vec<u64> {
    let replay = read(directory).unwrap();
    assert_eq!(replay.damage, None);
    replay
        .entries
        .iter()
        .map(|entry| match entry.event {
            Event::Forwarded { attempt } => attempt,
            ref other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn what_was_appended_is_read_back_in_order() {
    let home = tempfile::tempdir().unwrap();
    let (mut ledger, before) = Ledger::open(&home.path().join("a/run")).unwrap();
    assert!(before.is_empty());
    ledger.append(|_| vec![forwarded(1), forwarded(2)]).unwrap();
    ledger.append(|_| vec![forwarded(3)]).unwrap();
    assert_eq!(attempts(&home.path().join("a/run")), [1, 2, 3]);
}

#[test]
fn writers_see_each_other_and_nothing_is_lost() {
    let home = tempfile::tempdir().unwrap();
    let writers: Vec<_> = (0..4_u64)
        .map(|writer| {
            let directory = home.path().to_owned();
            thread::spawn(move || {
                let (mut ledger, _) = Ledger::open(&directory).unwrap();
                for n in 0..50 {
                    ledger.append(|_| vec![forwarded(writer * 1000 + n)]).unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    let seen = attempts(home.path());
    assert_eq!(seen.len(), 200);
    for writer in 0..4 {
        let own: Vec<_> = seen.iter().filter(|n| **n / 1000 == writer).collect();
        assert!(own.is_sorted(), "each writer's own order holds");
    }
}

#[test]
fn only_one_of_many_writers_claims_the_first_write() {
    let home = tempfile::tempdir().unwrap();
    let claims: usize = (0..4_u64)
        .map(|writer| {
            let directory = home.path().to_owned();
            thread::spawn(move || {
                let (mut ledger, before) = Ledger::open(&directory).unwrap();
                let mut claimed = false;
                ledger
                    .append(|others| {
                        claimed = before.is_empty() && others.is_empty();
                        if claimed { vec![forwarded(writer)] } else { Vec::new() }
                    })
                    .unwrap();
                usize::from(claimed)
            })
        })
        .map(|thread| thread.join().unwrap())
        .sum();
    assert_eq!(claims, 1);
}

#[test]
fn a_run_cut_off_anywhere_reads_up_to_its_last_whole_line_and_can_be_carried_on() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("events.jsonl");
    let (mut ledger, _) = Ledger::open(home.path()).unwrap();
    ledger.append(|_| (1..=3).map(forwarded).collect()).unwrap();
    let whole = fs::read(&file).unwrap();
    let ends: Vec<_> = whole
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| at + 1)
        .collect();
    for cut in 0..whole.len() {
        fs::write(&file, &whole[..cut]).unwrap();
        let lines = ends.iter().filter(|end| **end <= cut).count();
        let replay = read(home.path()).unwrap();
        assert_eq!(replay.entries.len(), lines, "cut at {cut}");
        let (mut again, before) = Ledger::open(home.path()).unwrap();
        assert_eq!(before.len(), lines);
        again.append(|_| vec![forwarded(9)]).unwrap();
        assert_eq!(attempts(home.path()).len(), lines + 1);
    }
}

#[test]
fn a_changed_removed_or_added_line_is_found() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("events.jsonl");
    let (mut ledger, _) = Ledger::open(home.path()).unwrap();
    ledger.append(|_| (1..=3).map(forwarded).collect()).unwrap();
    let whole = fs::read_to_string(&file).unwrap();
    let lines: Vec<_> = whole.lines().collect();

    fs::write(&file, whole.replace("\"attempt\":2", "\"attempt\":7")).unwrap();
    assert_eq!(read(home.path()).unwrap().damage, Some(Damage::BrokenChain { line: 2 }));
    fs::write(&file, format!("{}\n{}\n", lines[0], lines[2])).unwrap();
    assert_eq!(read(home.path()).unwrap().damage, Some(Damage::BrokenChain { line: 2 }));
    fs::write(&file, &whole).unwrap();
    fs::OpenOptions::new().append(true).open(&file).unwrap().write_all(b"{}\n").unwrap();
    assert!(matches!(read(home.path()).unwrap().damage, Some(Damage::Unreadable { line: 4, .. })));
    assert!(matches!(Ledger::open(home.path()), Err(LedgerError::Damaged { .. })));
}
