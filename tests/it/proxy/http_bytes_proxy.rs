//! The proxy with agents on HTTP.

use std::process::Stdio;
use std::time::Duration;

use checkrein_testkit::Place;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// How long it may take to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Starts it on a free port; the flags name the upstream.
pub(crate) async fn listening(place: &Place, flags: &[&str]) -> (Child, u16) {
    let usual = ["proxy", "--audit-tools", "off", "--listen", "127.0.0.1:0", "--run-dir", "run"];
    let report = ["--report-file", "report.json"];
    let mut command = Command::from(place.command(&[&usual[..], &report, flags].concat()));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut said = String::new();
    let port = loop {
        let line = tokio::time::timeout(PATIENCE, lines.next_line()).await.unwrap().unwrap();
        let line = line.unwrap_or_else(|| panic!("the proxy did not start: {said}"));
        if let Some((_, address)) = line.split_once("listening on http://127.0.0.1:") {
            let port: String = address.chars().take_while(char::is_ascii_digit).collect();
            break port.parse().unwrap();
        }
        said.push_str(&line);
    };
    // What it goes on to say has to go somewhere.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    (child, port)
}
