//! Whether the report and the ledger can be written, and lie where the agent does not look.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use checkrein_chaos::review::{Finding, Level};
use checkrein_report::Target;

use crate::proxy::{self, run_dir};

/// The access of everybody but the owner.
const OTHERS: u32 = 0o077;

/// Checks both, and leaves nothing behind.
pub(super) fn findings(arguments: &proxy::Arguments) -> Vec<Finding> {
    let mut findings = Vec::new();
    match run_dir::choose(arguments.run_dir.as_deref()) {
        Ok(directory) => {
            findings.extend(run_directory(&directory, arguments.run_dir.is_some()));
        }
        Err(_) => findings.push(
            Finding::new(Level::Problem, "run_dir", "there is no home directory to keep runs in")
                .mend("name a directory by --run-dir"),
        ),
    }
    match arguments.report_file.as_deref() {
        None => findings.push(Finding::new(
            Level::Ok,
            "report_file",
            "the report goes to `report.json` in the run directory",
        )),
        Some(path) => findings.extend(report(path)),
    }
    findings
}

fn run_directory(directory: &Path, is_named: bool) -> Vec<Finding> {
    let shown = directory.display();
    let Some(existing) = directory.ancestors().find(|place| place.exists()) else {
        return vec![usable(&std::env::current_dir().unwrap_or_default(), directory)];
    };
    if !existing.is_dir() {
        let text = format!("`{}` is no directory", existing.display());
        let finding = Finding::new(Level::Problem, "run_dir", text);
        return vec![finding.mend("name another by --run-dir")];
    }
    let mut findings = vec![usable(existing, if is_named { directory } else { existing })];
    if !is_named {
        return findings;
    }
    if existing == directory {
        if directory.read_dir().is_ok_and(|mut files| files.next().is_some()) {
            let text = format!("`{shown}` is not empty: a proxy started on it joins that run");
            let mend = "name a new directory for each run, and one for all processes of a run";
            findings.push(Finding::new(Level::Warning, "run_dir", text).mend(mend));
        }
        let mode = directory.metadata().map(|found| found.permissions().mode());
        if mode.is_ok_and(|mode| mode & OTHERS != 0) {
            let text = format!("`{shown}` is open to other users");
            let finding = Finding::new(Level::Note, "run_dir", text);
            findings.push(finding.mend("close it: `chmod 700`; the ledger holds the arguments"));
        }
    }
    findings.extend(in_sight(directory, "run_dir"));
    findings
}

/// Whether files can be made in what is there already.
fn usable(existing: &Path, directory: &Path) -> Finding {
    // Whether a file can be made shows only by making one; the report's own check does it.
    match Target::check(&existing.join("checkrein-doctor.json")) {
        Ok(_) => {
            let text = format!("runs can be kept in `{}`", directory.display());
            Finding::new(Level::Ok, "run_dir", text)
        }
        Err(_) => {
            let text = format!("nothing can be written to `{}`", existing.display());
            Finding::new(Level::Problem, "run_dir", text).mend("name another by --run-dir")
        }
    }
}

fn report(path: &Path) -> Vec<Finding> {
    if let Err(error) = Target::check(path) {
        let finding = Finding::new(Level::Problem, "report_file", error.to_string());
        return vec![finding.mend("name another file by --report-file")];
    }
    let text = format!("the report can be written to `{}`", path.display());
    let mut findings = vec![Finding::new(Level::Ok, "report_file", text)];
    findings.extend(in_sight(path, "report_file"));
    findings
}

/// An agent that works in this directory can read what lies in it.
fn in_sight(path: &Path, check: &'static str) -> Option<Finding> {
    let here = std::env::current_dir().ok()?.canonicalize().ok()?;
    let place: PathBuf = path.ancestors().find_map(|place| {
        let place = if place.as_os_str().is_empty() { Path::new(".") } else { place };
        place.canonicalize().ok()
    })?;
    place.starts_with(&here).then(|| {
        let text = format!("`{}` lies in the working directory", path.display());
        Finding::new(Level::Note, check, text)
            .mend("put it elsewhere when the agent works here: it could read how it is judged")
    })
}
