//! A platform that answers from a script, for tests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use checkrein_catalog::call::Defaults;
use checkrein_mcp::{Answer, Caller, ToolSet};
use checkrein_platform::{Client, Secret};
use serde_json::{Map, Value};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::{AutoApprove, Options, Tools, shipped};

/// Tools over a platform that gives these answers, one after the other, and then 500.
pub(crate) struct Scripted {
    pub(crate) tools: Tools,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    pub(crate) async fn new(answers: &[(u16, &str)]) -> Self {
        Self::with(answers, |_| {}).await
    }

    pub(crate) async fn with(answers: &[(u16, &str)], change: impl FnOnce(&mut Options)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base_url = format!("http://{}", listener.local_addr().expect("an address"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let answers: Vec<(u16, String)> =
            answers.iter().map(|(status, body)| (*status, (*body).to_owned())).collect();
        tokio::spawn(serve(listener, answers, Arc::clone(&seen)));
        let client = Client::new(checkrein_platform::Options {
            base_url: base_url.clone(),
            account: "acc".to_owned(),
            credential: Secret::new("key"),
            timeout: Duration::from_secs(5),
            max_retries: 0,
            rate_per_second: 0,
            log_bodies: false,
        })
        .expect("a client");
        let mut options = Options {
            defaults: Defaults {
                account: "acc".to_owned(),
                org: Some("o".to_owned()),
                project: Some("p".to_owned()),
            },
            base_url: "https://app.example.com/".to_owned(),
            auto_approve: AutoApprove::All,
            ..Options::default()
        };
        change(&mut options);
        Self { tools: Tools::new(shipped::catalog().clone(), client, options), seen }
    }

    /// Method, path and query of every request so far.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("no panic").clone()
    }

    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Answer {
        let arguments: Map<String, Value> = arguments.as_object().expect("an object").clone();
        self.tools.call(name, arguments, Caller::silent()).await
    }

    pub(crate) async fn result(&self, name: &str, arguments: Value) -> Value {
        match self.call(name, arguments).await {
            Answer::Result { structured, .. } => structured,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn error(&self, name: &str, arguments: Value) -> Value {
        match self.call(name, arguments).await {
            Answer::Error { structured: Some(structured), text } => {
                assert_eq!(text, structured.to_string());
                structured
            }
            other => panic!("{other:?}"),
        }
    }
}

async fn serve(listener: TcpListener, answers: Vec<(u16, String)>, seen: Arc<Mutex<Vec<String>>>) {
    let answers = Arc::new(Mutex::new(answers.into_iter()));
    while let Ok((stream, _)) = listener.accept().await {
        let (answers, seen) = (Arc::clone(&answers), Arc::clone(&seen));
        tokio::spawn(async move { answer(stream, &answers, &seen).await });
    }
}

async fn answer(
    mut stream: TcpStream,
    answers: &Mutex<std::vec::IntoIter<(u16, String)>>,
    seen: &Mutex<Vec<String>>,
) -> Option<()> {
    let mut read = Vec::new();
    loop {
        let Some(head_end) = read.windows(4).position(|end| end == b"\r\n\r\n") else {
            stream.read_buf(&mut read).await.ok().filter(|count| *count > 0)?;
            continue;
        };
        let head = String::from_utf8_lossy(&read[..head_end]).into_owned();
        let length = head
            .lines()
            .find_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
            })
            .unwrap_or(0);
        while read.len() < head_end + 4 + length {
            stream.read_buf(&mut read).await.ok().filter(|count| *count > 0)?;
        }
        read.drain(..head_end + 4 + length);
        let line = head.lines().next().unwrap_or_default();
        seen.lock().expect("no panic").push(line.trim_end_matches(" HTTP/1.1").to_owned());
        let next = answers.lock().expect("no panic").next();
        let (status, body) = next.unwrap_or((500, "{}".to_owned()));
        let reply = format!(
            "HTTP/1.1 {status} x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(reply.as_bytes()).await.ok()?;
    }
}
