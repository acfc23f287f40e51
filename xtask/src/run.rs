//! Runs a program, shows its lines as they come and keeps them.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

/// No check takes this long unless it hangs, and a hung one must not eat the time of the others.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// How long a program that is asked to end may take.
const FAREWELL: Duration = Duration::from_secs(10);

/// Lines waiting to be shown; the program waits when there are more.
const WAITING_LINES: usize = 1024;

/// Runs to the end and gives all lines of both streams; an error unless the program ends well.
pub(crate) fn shown(command: &mut Command) -> Result<Vec<String>> {
    shown_within(command, LIMIT)
}

fn shown_within(command: &mut Command, limit: Duration) -> Result<Vec<String>> {
    let name = command.get_program().to_string_lossy().into_owned();
    let (reader, writer) = std::io::pipe()?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .spawn()
        .with_context(|| format!("failed to start `{name}`"))?;
    // The command holds the writing end, and the reader ends only when all of them are closed.
    command.stdout(Stdio::null()).stderr(Stdio::null());

    let (send, lines) = sync_channel(WAITING_LINES);
    std::thread::spawn(move || {
        for line in BufReader::new(reader).split(b'\n').map_while(Result::ok) {
            if send.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    let mut kept = Vec::new();
    if !follow(&lines, &mut kept, limit) {
        // Asked first, because a test runner then ends its tests too.
        Command::new("kill").arg(child.id().to_string()).status()?;
        if !follow(&lines, &mut kept, FAREWELL) {
            child.kill()?;
        }
        child.wait()?;
        bail!("`{name}` was ended after {} s", limit.as_secs());
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("`{name}` {status}: {}", reason(&kept));
    }
    Ok(kept)
}

/// Shows and keeps lines until there are no more, and says whether that was within the limit.
fn follow(lines: &Receiver<String>, kept: &mut Vec<String>, limit: Duration) -> bool {
    let end = Instant::now() + limit;
    loop {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                println!("{line}");
                kept.push(line);
            }
            Err(RecvTimeoutError::Disconnected) => return true,
            Err(RecvTimeoutError::Timeout) => return false,
        }
    }
}

/// The line that says best why a program failed: how many tests did, else the last error, else the
/// last line.
fn reason(lines: &[String]) -> &str {
    let last = |says: fn(&str) -> bool| lines.iter().rev().find(|line| says(line));
    last(|line| line.contains(" tests run: "))
        .or_else(|| last(|line| line.starts_with("error")))
        .or_else(|| last(|line| !line.trim().is_empty()))
        .map_or("it said nothing", |line| line.trim())
}

/// Whether a program can be found and answers `--version`.
pub(crate) fn answers(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_streams_are_kept_in_order() {
        let lines = shown(Command::new("sh").args(["-c", "echo one; echo two >&2; echo three"]));
        assert_eq!(lines.unwrap(), ["one", "two", "three"]);
    }

    #[test]
    fn a_failing_program_is_an_error_that_ends_with_its_last_line() {
        let error =
            shown(Command::new("sh").args(["-c", "echo no such luck; exit 3"])).unwrap_err();
        assert_eq!(error.to_string(), "`sh` exit status: 3: no such luck");
    }

    #[test]
    fn the_reason_is_a_count_of_tests_before_an_error_before_a_last_line() {
        let lines = ["2 tests run: 1 passed, 1 failed", "error: no room", "bye"].map(str::to_owned);
        assert_eq!(reason(&lines), "2 tests run: 1 passed, 1 failed");
        assert_eq!(reason(&lines[1..]), "error: no room");
        assert_eq!(reason(&lines[2..]), "bye");
        assert_eq!(reason(&[]), "it said nothing");
    }

    #[test]
    fn a_program_that_hangs_is_ended() {
        let mut command = Command::new("sleep");
        let error = shown_within(command.arg("600"), Duration::from_millis(50)).unwrap_err();
        assert_eq!(error.to_string(), "`sleep` was ended after 0 s");
    }

    #[test]
    fn a_program_that_is_not_there_does_not_answer() {
        assert!(!answers("no-such-program-at-all"));
        assert!(answers("cargo"));
    }
}
