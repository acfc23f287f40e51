use std::fs;
use std::path::Path;

use checkrein_ledger::{Event, Ledger, Start};

use super::*;

fn complaint(home: &Path, name: &str) -> String {
    let error = read(&home.join(name)).unwrap_err();
    error.to_string().replace(&home.display().to_string(), "")
}

#[test]
fn what_is_no_report_is_named_for_what_it_is() {
    let home = tempfile::tempdir().unwrap();
    let run = home.path().join("run");
    let (mut ledger, _) = Ledger::open(&run).unwrap();
    ledger.append(|_| vec![Event::Started(Start::default())]).unwrap();
    fs::create_dir(home.path().join("folder")).unwrap();
    let report = Document::of(&Run::default(), Status::Finished).to_json();
    for (name, text) in [
        ("empty", String::new()),
        ("blank", " \n".to_owned()),
        ("page.html", "<!DOCTYPE html><title>x</title>".to_owned()),
        ("results.xml", "<?xml version=\"1.0\"?><a/>".to_owned()),
        ("package.json", r#"{"name": "x", "version": "1"}"#.to_owned()),
        ("empty.json", "{}".to_owned()),
        ("list.json", "[1]".to_owned()),
        ("value.json", "7".to_owned()),
        ("almost.json", "{\"a\": ".to_owned()),
        ("notes.txt", "Dear diary".to_owned()),
        ("text.txt", crate::text::OPENING.to_owned()),
        ("later.json", report.replace("report.v1", "report.v2")),
        ("cut.json", report[..report.len() / 2].to_owned()),
        ("more.json", report.replacen('{', "{\"extra\": 1,", 1)),
        ("less.json", report.replace("\"left_out\": 0,", "")),
    ] {
        fs::write(home.path().join(name), text).unwrap();
    }
    fs::write(home.path().join("binary"), [0x7f, b'E', b'L', b'F', 0, 0xff]).unwrap();
    let names = [
        "empty",
        "blank",
        "page.html",
        "results.xml",
        "package.json",
        "empty.json",
        "list.json",
        "value.json",
        "almost.json",
        "notes.txt",
        "text.txt",
        "binary",
        "run/events.jsonl",
        "folder",
        "nowhere",
        "later.json",
        "cut.json",
        "more.json",
        "less.json",
    ];
    let complaints = names.map(|name| complaint(home.path(), name));
    insta::assert_snapshot!(complaints.join("\n"));
}

#[test]
fn a_run_directory_is_read_whole_torn_or_unfinished() {
    let home = tempfile::tempdir().unwrap();
    let (mut ledger, _) = Ledger::open(home.path()).unwrap();
    let start = Start { version: "1.2.3".to_owned(), ..Start::default() };
    ledger.append(|_| vec![Event::Started(start)]).unwrap();
    let document = read(home.path()).unwrap();
    assert_eq!((document.status, document.checkrein.as_str()), (Status::Starting, "1.2.3"));
    ledger.append(|_| vec![Event::Finished { why: "signal".to_owned() }]).unwrap();
    assert_eq!(read(home.path()).unwrap().status, Status::Finished);

    let file = home.path().join(EVENTS);
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() - 9]).unwrap();
    let torn = read(home.path()).unwrap();
    assert_eq!(torn.status, Status::Starting);
    assert_eq!(torn.run.damage.as_deref(), Some("line 2 is incomplete"));
}

#[test]
fn a_report_comes_back_as_it_was_written() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("report.json");
    let document = Document::of(&Run::default(), Status::Starting);
    fs::write(&path, document.to_json()).unwrap();
    assert_eq!(read(&path).unwrap(), document);
}
