//! An agent and an upstream that write their own bytes of HTTP, and play a recorded exchange.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use checkrein_testkit::Place;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::http_bytes_proxy::listening;
use super::http_bytes_wire::{Message, chunk, head, next_chunk, read, rest_of_chunks, tidied};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// The harness's own look at the tools, which no corpus has.
const OWN: &[u8] = br#"{"jsonrpc":"2.0","id":"tools-"#;

/// A request of the agent's, and what the upstream says to it.
#[derive(Clone)]
pub(super) struct Exchange {
    /// Method and target.
    pub(super) line: String,
    /// Field lines as they are sent, `Host` and the length left out.
    pub(super) fields: Vec<Vec<u8>>,
    pub(super) body: Vec<u8>,
    /// Whether the body is sent in chunks.
    pub(super) is_chunked: bool,
    pub(super) reply: Reply,
}

/// What the upstream says.
#[derive(Clone)]
pub(super) struct Reply {
    /// The status and its phrase.
    pub(super) status: &'static str,
    pub(super) fields: Vec<Vec<u8>>,
    pub(super) body: Vec<u8>,
    pub(super) framing: Framing,
}

/// How the end of a body is known.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Framing {
    /// There is none.
    None,
    /// By its length.
    Length,
    /// In chunks of so many bytes.
    Chunks(usize),
    /// In two chunks: the second comes once the agent has asked for something else.
    Gate(usize),
    /// By the end of the connection.
    End,
    /// In chunks, and the connection ends before the last.
    Broken,
}

/// What each side saw.
#[derive(PartialEq, Debug)]
pub(super) struct Seen {
    pub(super) by_agent: Vec<Message>,
    pub(super) by_upstream: Vec<Message>,
}

/// Plays a corpus against the upstream itself, or through the proxy with these flags.
pub(super) async fn play(corpus: &[Exchange], flags: Option<&[&str]>) -> Seen {
    let (upstream, log) = upstream(corpus.to_vec()).await;
    let place = Place::new();
    let (_proxy, port) = match flags {
        Some(flags) => {
            let url = format!("http://127.0.0.1:{upstream}/mcp");
            let flags = [flags, &["--upstream-url", &url]].concat();
            let (proxy, port) = listening(&place, &flags).await;
            (Some(proxy), port)
        }
        None => (None, upstream),
    };
    let mut streams = Vec::new();
    for exchange in corpus {
        let begun = ask(port, exchange).await;
        match exchange.reply.framing {
            // The rest comes later, so the agent goes on.
            Framing::Gate(first) => {
                let (begun, head) = begin(begun, first).await;
                streams.push(tokio::spawn(finish(begun, head)));
            }
            _ => {
                let message = tokio::time::timeout(PATIENCE, whole(begun)).await;
                let message = message.unwrap_or_else(|_| panic!("no end of {}", exchange.line));
                streams.push(tokio::spawn(async move { message }));
            }
        }
    }
    let mut by_agent = Vec::new();
    for stream in streams {
        by_agent.push(tokio::time::timeout(PATIENCE, stream).await.unwrap().unwrap());
    }
    let by_upstream = log.lock().unwrap().clone();
    Seen { by_agent, by_upstream }
}

pub(super) type Log = Arc<Mutex<Vec<Message>>>;

/// Answers the n-th request with the n-th reply and notes down what it was asked.
pub(super) async fn upstream(corpus: Vec<Exchange>) -> (u16, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let log = Log::default();
    let noted = Arc::clone(&log);
    let corpus = Arc::new(corpus);
    let (count, _) = watch::channel(0);
    let count = Arc::new(count);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (corpus, noted, count) =
                (Arc::clone(&corpus), Arc::clone(&noted), Arc::clone(&count));
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                let Some(message) = read(&mut stream, true).await else { return };
                if message.body.starts_with(OWN) {
                    return own(&mut stream, &message.body).await;
                }
                let nth = {
                    let mut noted = noted.lock().unwrap();
                    noted.push(message);
                    noted.len()
                };
                count.send_replace(nth);
                let Some(exchange) = corpus.get(nth - 1) else { return };
                let mut later = count.subscribe();
                reply(&mut stream, &exchange.reply, async {
                    let _ = later.wait_for(|count| *count > nth).await;
                })
                .await;
            });
        }
    });
    (port, log)
}

/// Shows the harness the tools.
async fn own(stream: &mut BufReader<TcpStream>, body: &[u8]) {
    let text = String::from_utf8_lossy(body);
    let id = text.split('"').nth(7).unwrap();
    let tools =
        r#"[{"name":"create_booking","inputSchema":{}},{"name":"get_booking","inputSchema":{}}]"#;
    let body = format!(r#"{{"jsonrpc":"2.0","id":"{id}","result":{{"tools":{tools}}}}}"#);
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    let _ = stream.write_all((head + &body).as_bytes()).await;
}

async fn reply(stream: &mut BufReader<TcpStream>, reply: &Reply, gate: impl Future<Output = ()>) {
    let mut head = format!("HTTP/1.1 {}\r\n", reply.status).into_bytes();
    for field in &reply.fields {
        head.extend_from_slice(field);
        head.extend_from_slice(b"\r\n");
    }
    match reply.framing {
        Framing::None | Framing::End => {}
        Framing::Length => {
            head.extend_from_slice(format!("Content-Length: {}\r\n", reply.body.len()).as_bytes());
        }
        Framing::Chunks(_) | Framing::Gate(_) | Framing::Broken => {
            head.extend_from_slice(b"Transfer-Encoding: chunked\r\n");
        }
    }
    head.extend_from_slice(b"\r\n");
    let _ = stream.write_all(&head).await;
    match reply.framing {
        Framing::None => {}
        Framing::Length | Framing::End => {
            let _ = stream.write_all(&reply.body).await;
        }
        Framing::Chunks(size) => {
            for piece in reply.body.chunks(size) {
                chunk(stream, piece).await;
            }
            chunk(stream, b"").await;
        }
        Framing::Gate(first) => {
            let (one, other) = reply.body.split_at(first);
            chunk(stream, one).await;
            gate.await;
            chunk(stream, other).await;
            chunk(stream, b"").await;
        }
        Framing::Broken => chunk(stream, &reply.body).await,
    }
}

/// Sends a request on a connection of its own.
async fn ask(port: u16, exchange: &Exchange) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let mut message =
        format!("{} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n", exchange.line).into_bytes();
    for field in &exchange.fields {
        message.extend_from_slice(field);
        message.extend_from_slice(b"\r\n");
    }
    if exchange.is_chunked {
        message.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
        for piece in exchange.body.chunks(7) {
            message.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
            message.extend_from_slice(piece);
            message.extend_from_slice(b"\r\n");
        }
        message.extend_from_slice(b"0\r\n\r\n");
    } else {
        if exchange.line.starts_with("POST") {
            let length = format!("Content-Length: {}\r\n", exchange.body.len());
            message.extend_from_slice(length.as_bytes());
        }
        message.extend_from_slice(b"\r\n");
        message.extend_from_slice(&exchange.body);
    }
    stream.write_all(&message).await.unwrap();
    BufReader::new(stream)
}

/// Sends one request and reads the reply.
pub(super) async fn ask_once(port: u16, exchange: &Exchange) -> Message {
    let stream = ask(port, exchange).await;
    tokio::time::timeout(PATIENCE, whole(stream)).await.expect("a reply in time")
}

/// The whole reply.
async fn whole(mut stream: BufReader<TcpStream>) -> Message {
    read(&mut stream, false).await.expect("a reply")
}

/// Reads the head, and the body up to this many bytes.
async fn begin(mut stream: BufReader<TcpStream>, bytes: usize) -> (BufReader<TcpStream>, Message) {
    let begun = tokio::time::timeout(PATIENCE, async {
        let mut message = head(&mut stream, false).await.expect("a reply");
        while message.body.len() < bytes {
            let piece = next_chunk(&mut stream).await.expect("a chunk");
            message.body.extend(piece);
        }
        message
    });
    let begun = begun.await.expect("the beginning of a stream");
    (stream, begun)
}

/// Reads the rest of a body in chunks.
async fn finish(mut stream: BufReader<TcpStream>, mut message: Message) -> Message {
    rest_of_chunks(&mut stream, &mut message).await;
    tidied(message)
}
