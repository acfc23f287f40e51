//! A server that answers each request with the next line of its script.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What to do with one request.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// These bytes.
    Raw(Vec<u8>),
    /// These bytes, then silence.
    Stall(String),
    /// Silence.
    Hang,
    /// The end of the connection.
    Close,
    /// The end of the connection, with a TCP reset.
    Reset,
}

impl Act {
    pub(super) fn raw(text: &str) -> Self {
        Self::Raw(text.as_bytes().to_vec())
    }

    pub(super) fn status(status: u16, body: &str) -> Self {
        let length = body.len();
        Self::Raw(format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n\r\n{body}").into())
    }

    pub(super) fn bytes(body: &[u8]) -> Self {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
        Self::Raw([head.as_bytes(), body].concat())
    }
}

pub(super) fn ok(body: &str) -> Act {
    Act::status(200, body)
}

/// The server.
pub(super) struct Script {
    pub(super) base: String,
    seen: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
    count: watch::Receiver<usize>,
}

impl Script {
    pub(super) async fn start(acts: impl IntoIterator<Item = Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let acts =
            Arc::new(Mutex::new(acts.into_iter().collect::<std::collections::VecDeque<_>>()));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(AtomicUsize::new(0));
        let (counter, count) = watch::channel(0);
        let counter = Arc::new(counter);
        let (all_seen, opened) = (Arc::clone(&seen), Arc::clone(&connections));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                opened.fetch_add(1, Ordering::SeqCst);
                let (acts, seen, counter) =
                    (Arc::clone(&acts), Arc::clone(&all_seen), Arc::clone(&counter));
                tokio::spawn(async move {
                    let mut stream = stream;
                    while let Some(request) = read(&mut stream).await {
                        seen.lock().unwrap().push(request);
                        counter.send_modify(|count| *count += 1);
                        let act = acts.lock().unwrap().pop_front().expect("the script goes on");
                        match act {
                            Act::Raw(bytes) => {
                                let closes = !bytes
                                    .windows(15)
                                    .any(|part| part.eq_ignore_ascii_case(b"content-length:"))
                                    || String::from_utf8_lossy(&bytes)
                                        .contains("Connection: close");
                                let _ = stream.write_all(&bytes).await;
                                if closes || !whole(&bytes) {
                                    return;
                                }
                            }
                            Act::Stall(text) => {
                                let _ = stream.write_all(text.as_bytes()).await;
                                std::future::pending::<()>().await;
                            }
                            Act::Hang => std::future::pending::<()>().await,
                            Act::Close => return,
                            Act::Reset => {
                                stream.set_zero_linger().unwrap();
                                return;
                            }
                        }
                    }
                });
            }
        });
        Self { base, seen, connections, count }
    }

    /// The requests so far, whole.
    pub(super) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// Waits for the nth request.
    pub(super) async fn saw(&self, number: usize) {
        self.count.clone().wait_for(|count| *count >= number).await.unwrap();
    }

    /// How many connections were opened.
    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// The URL of a port on which nobody listens.
pub(super) async fn closed_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

/// Whether a reply is as long as it says.
fn whole(reply: &[u8]) -> bool {
    let Some((length, head)) = content_length(reply) else { return true };
    reply.len() >= head + length
}

fn content_length(message: &[u8]) -> Option<(usize, usize)> {
    let head = message.windows(4).position(|part| part == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&message[..head]).to_lowercase();
    let length = text
        .split("content-length:")
        .nth(1)
        .and_then(|rest| rest.lines().next()?.trim().parse().ok());
    Some((length.unwrap_or(0), head))
}

async fn read(stream: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    loop {
        if let Some((length, head)) = content_length(&request)
            && request.len() >= head + length
        {
            return Some(String::from_utf8_lossy(&request).into_owned());
        }
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return None,
            // A TLS greeting; this server speaks no TLS.
            Ok(_) if piece[0] == 0x16 => return None,
            Ok(size) => request.extend_from_slice(&piece[..size]),
        }
    }
}
