//! A sandbox in a process of its own.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::Place;

/// Seeding a world takes a moment, more so beside a compiler.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running sandbox; it ends with this value.
pub struct Sandbox {
    child: Child,
    url: String,
}

#[expect(clippy::expect_used, reason = "a sandbox that does not start fails the test")]
impl Sandbox {
    /// Starts one on a free port.
    pub async fn start(place: &Place, arguments: &[&str]) -> Self {
        let mut command = Command::from(place.command(&["sandbox", "--port", "0"]));
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("the program starts");
        let output = child.stdout.take().expect("it is piped");
        let line = tokio::time::timeout(PATIENCE, BufReader::new(output).lines().next_line()).await;
        let line = line.expect("a line in time").expect("text").expect("it says where it is");
        let url = line.split_whitespace().find(|word| word.starts_with("http://"));
        let url = url.expect("an address").trim_end_matches('.').to_owned();
        Self { child, url }
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Kills it, as a power cut would.
    pub async fn kill(mut self) {
        self.child.kill().await.expect("it was running");
    }
}

impl Place {
    /// A place whose server is in front of a sandbox.
    #[must_use]
    pub fn facing(self, sandbox: &Sandbox) -> Self {
        self.with("HARNESS_API_KEY", "pat.Sandbox_Account_000001.sandbox.sandbox")
            .with("HARNESS_BASE_URL", sandbox.url())
            .with("HARNESS_ALLOW_HTTP", "true")
            .with("HARNESS_ORG", "default")
            .with("HARNESS_PROJECT", "storefront")
    }
}
