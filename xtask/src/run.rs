//! Runs a program, shows its lines as they come and keeps them.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

/// No check takes this long unless it hangs, and a hung one must not eat the time of the others.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// Lines waiting to be shown; the program waits when there are more.
const WAITING_LINES: usize = 1024;

/// Runs to the end and gives all lines of both streams; an error unless the program ends well.
pub(crate) fn shown(command: &mut Command) -> Result<Vec<String>> {
    let name = command.get_program().to_string_lossy().into_owned();
    let (reader, writer) = std::io::pipe()?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .process_group(0)
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

    let end = Instant::now() + LIMIT;
    let mut kept = Vec::new();
    loop {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                println!("{line}");
                kept.push(line);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let group = format!("-{}", child.id());
                Command::new("kill").args(["-KILL", "--", &group]).status()?;
                child.wait()?;
                bail!("`{name}` was ended after {} minutes", LIMIT.as_secs() / 60);
            }
        }
    }
    let status = child.wait()?;
    if !status.success() {
        let last = kept.iter().rev().find(|line| !line.trim().is_empty());
        bail!("`{name}` {status}: {}", last.map_or("it said nothing", |line| line.trim()));
    }
    Ok(kept)
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
    fn a_program_that_is_not_there_does_not_answer() {
        assert!(!answers("no-such-program-at-all"));
        assert!(answers("cargo"));
    }
}
