//! A platform that says what a test tells it to, and remembers what it was asked.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A request that came in.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The method.
    pub method: String,
    /// Path and query as they were sent.
    pub target: String,
    /// Header lines, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

/// What to reply.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The media type.
    pub media_type: &'static str,
    /// The body.
    pub body: String,
    /// How long to wait before the first byte.
    pub delay: Duration,
}

impl Reply {
    /// A JSON reply.
    pub fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            media_type: "application/json",
            body: body.to_string(),
            delay: Duration::ZERO,
        }
    }

    /// The same, later.
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

type Script = Arc<dyn Fn(&Asked) -> Reply + Send + Sync>;

/// A scripted platform on loopback.
pub struct Upstream {
    url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    accepting: JoinHandle<()>,
}

impl Upstream {
    /// Starts one that replies as the script says.
    #[expect(clippy::expect_used, reason = "a test without a port cannot go on")]
    pub async fn start(script: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (script, log): (Script, _) = (Arc::new(script), asked.clone());
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(converse(stream, script.clone(), log.clone()));
            }
        });
        Self { url, asked, accepting }
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What it was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Answers the requests of one connection until it closes.
async fn converse(stream: TcpStream, script: Script, log: Arc<Mutex<Vec<Asked>>>) {
    let mut stream = BufReader::new(stream);
    while let Some(asked) = read(&mut stream).await {
        let reply = script(&asked);
        log.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
        tokio::time::sleep(reply.delay).await;
        let head = format!(
            "HTTP/1.1 {} Scripted\r\ncontent-type: {}\r\ncontent-length: {}\r\n\r\n",
            reply.status,
            reply.media_type,
            reply.body.len()
        );
        let message = [head.as_bytes(), reply.body.as_bytes()].concat();
        if stream.write_all(&message).await.is_err() {
            return;
        }
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Asked> {
    let first = line(stream).await?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let header = line(stream).await?;
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':')?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Asked { method, target, headers, body: String::from_utf8_lossy(&body).into_owned() })
}

async fn line(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    let length = stream.read_line(&mut line).await.ok()?;
    (length > 0).then(|| line.trim_end().to_owned())
}
