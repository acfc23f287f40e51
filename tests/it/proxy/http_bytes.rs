//! What no fault touches passes over HTTP as it came: bodies byte for byte, status and fields too.

use super::http_bytes_corpus::{cuts, session_era, stateless_era};
use super::http_bytes_stage::{Exchange, play};
use super::http_bytes_wire::Message;

/// Set-ups in which nothing is to happen to anything.
const QUIET: [&[&str]; 2] = [&[], &["--mode", "chaos", "--error-rate", "0"]];

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
