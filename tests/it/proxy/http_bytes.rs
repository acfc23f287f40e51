//! What no fault touches passes over HTTP as it came: bodies byte for byte, status and fields too.

use checkrein_testkit::Place;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::http_bytes_corpus::{cuts, posted, quiet, session_era, stateless_era};
use super::http_bytes_proxy::listening;
use super::http_bytes_stage::{Exchange, play, upstream};
use super::http_bytes_wire::Message;

/// Set-ups in which nothing is to happen to anything.
const QUIET: [&[&str]; 2] = [&[], &["--mode", "chaos", "--error-rate", "0"]];

/// How often two requests come at once.
const PAIRS: usize = 300;

/// How often the later may still be first: two connections have no order of their own.
const OVERTAKEN: usize = 6;

async fn passes_unchanged(corpus: &[Exchange]) {
    let direct = play(corpus, None).await;
    assert_eq!(direct.by_agent.len(), corpus.len());
    assert_eq!(direct.by_upstream.len(), corpus.len());
    for (exchange, asked) in corpus.iter().zip(&direct.by_upstream) {
        assert!(asked.body == exchange.body, "the stage itself changed {}", exchange.line);
    }
    for flags in QUIET {
        let through = play(corpus, Some(flags)).await;
        alike(&direct.by_upstream, &through.by_upstream, flags, "to the upstream");
        alike(&direct.by_agent, &through.by_agent, flags, "to the agent");
    }
}

fn alike(direct: &[Message], through: &[Message], flags: &[&str], way: &str) {
    assert_eq!(direct.len(), through.len(), "{flags:?} {way}");
    for (nth, (one, other)) in direct.iter().zip(through).enumerate() {
        let short = |message: &Message| {
            let body = &message.body[..message.body.len().min(300)];
            format!(
                "{} {:?} whole: {} {}",
                message.first,
                message.fields,
                message.is_whole,
                String::from_utf8_lossy(body)
            )
        };
        assert!(one == other, "{flags:?} {way}, #{nth}:\n{}\n{}", short(one), short(other));
    }
}

#[tokio::test]
async fn exchanges_of_a_session_pass_byte_for_byte() {
    passes_unchanged(&session_era()).await;
}

#[tokio::test]
async fn exchanges_without_sessions_pass_byte_for_byte() {
    passes_unchanged(&stateless_era()).await;
}

#[tokio::test]
async fn a_stream_passes_byte_for_byte_wherever_it_was_cut() {
    passes_unchanged(&cuts()).await;
}

/// A client opens the stream that a server asks on and calls at the same moment. When the call gets
/// there first, some servers ask nobody.
#[tokio::test]
async fn requests_that_come_at_once_arrive_in_their_order() {
    let (upstream, log) = upstream(vec![quiet("GET /0"); 2 * PAIRS]).await;
    let place = Place::new();
    let url = format!("http://localhost:{upstream}/mcp");
    let (_proxy, port) = listening(&place, &["--upstream-url", &url]).await;
    for pair in 0..PAIRS {
        let open = || async { TcpStream::connect(("127.0.0.1", port)).await.unwrap() };
        let (mut one, mut other) = (open().await, open().await);
        let head = |which| format!("GET /{pair}/{which} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        one.write_all(head("first").as_bytes()).await.unwrap();
        other.write_all(head("second").as_bytes()).await.unwrap();
        for mut stream in [one, other] {
            assert!(stream.read(&mut [0; 64]).await.unwrap() > 0);
        }
    }
    let order: Vec<_> = log.lock().unwrap().iter().map(|asked| asked.first.clone()).collect();
    let late = |pair: &&[String]| !pair[0].contains("first");
    let overtaken: Vec<_> = order.chunks(2).filter(late).collect();
    assert!(overtaken.len() <= OVERTAKEN, "{} of {PAIRS}: {overtaken:?}", overtaken.len());
}

/// Only what a fault can read can be struck, so an agent that takes compressed bodies is given plain
/// ones. It is the one field about more than a connection that does not pass as it came.
#[tokio::test]
async fn an_agent_that_takes_compressed_bodies_is_given_plain_ones() {
    let fields = ["Accept-Encoding: gzip, br".to_owned(), "X-End: 1".to_owned()];
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let corpus = [posted(&fields, call, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#)];
    let mut direct = play(&corpus, None).await;
    let taken = |asked: &mut Message| {
        let at = asked.fields.iter().position(|(name, _)| name == "Accept-Encoding").unwrap();
        asked.fields.remove(at).1
    };
    assert_eq!(taken(&mut direct.by_upstream[0]), b"gzip, br");
    let mut through = play(&corpus, Some(&[])).await;
    assert_eq!(taken(&mut through.by_upstream[0]), b"identity");
    assert_eq!(through, direct);
}
