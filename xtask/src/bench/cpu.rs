//! CPU time as the scheduler counts it, which is finer than clock ticks.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};

/// What the living threads of a process have used.
pub(super) fn of_process(id: u32) -> Result<Duration> {
    let mut total = Duration::ZERO;
    for task in std::fs::read_dir(format!("/proc/{id}/task"))? {
        // A thread may end between the listing and the reading.
        total += read(&task?.path().join("schedstat")).unwrap_or_default();
    }
    Ok(total)
}

/// What the calling thread has used.
pub(super) fn of_this_thread() -> Result<Duration> {
    read(Path::new("/proc/thread-self/schedstat"))
}

fn read(path: &Path) -> Result<Duration> {
    let text = std::fs::read_to_string(path)?;
    let nanoseconds = text.split_whitespace().next().context("an empty `schedstat`")?;
    Ok(Duration::from_nanos(nanoseconds.parse()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_costs_time() {
        let before = of_this_thread().unwrap();
        let sum: u64 = (0..3_000_000_u64).map(std::hint::black_box).sum();
        assert!(sum > 0 && of_this_thread().unwrap() > before);
        assert!(of_process(std::process::id()).unwrap() > Duration::ZERO);
    }
}
