//! Messages of HTTP as they are on the wire.

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};

/// A message as it came over the wire.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Message {
    /// The first line, of a reply without its version.
    pub(super) first: String,
    /// Fields that are about more than this connection, by name.
    pub(super) fields: Vec<(String, Vec<u8>)>,
    pub(super) body: Vec<u8>,
    /// Whether it ended as its framing says.
    pub(super) is_whole: bool,
}

/// Fields that need not be the same on both connections, each with its reason.
const PER_CONNECTION: [&str; 8] = [
    "host",                // It names whom this connection leads to.
    "connection",          // RFC 9110 section 7.6.1: about one connection only,
    "keep-alive",          // and so are these five.
    "te",                  //
    "trailer",             //
    "upgrade",             //
    "proxy-authorization", //
    "transfer-encoding",   // How a body is framed is each connection's own (RFC 9112 section 6).
];

/// Writes one chunk; the empty one ends a body.
pub(super) async fn chunk(stream: &mut (impl AsyncWriteExt + Unpin), piece: &[u8]) {
    let head = format!("{:x}\r\n", piece.len());
    let _ = stream.write_all(&[head.as_bytes(), piece, b"\r\n"].concat()).await;
}

/// Reads one message, its fields sorted.
pub(super) async fn read(
    stream: &mut (impl AsyncBufReadExt + Unpin),
    is_request: bool,
) -> Option<Message> {
    let mut message = head(stream, is_request).await?;
    let field = |name: &str| {
        let found = message.fields.iter().find(|(it, _)| it.eq_ignore_ascii_case(name));
        found.map(|(_, value)| String::from_utf8_lossy(value).into_owned())
    };
    let has_none =
        is_request || message.first.starts_with("204") || message.first.starts_with("304");
    if let Some(length) = field("content-length") {
        message.body.resize(length.parse().unwrap(), 0);
        message.is_whole = stream.read_exact(&mut message.body).await.is_ok();
    } else if field("transfer-encoding").is_some() {
        rest_of_chunks(stream, &mut message).await;
    } else if !has_none {
        message.is_whole = stream.read_to_end(&mut message.body).await.is_ok();
    }
    Some(tidied(message))
}

pub(super) async fn rest_of_chunks(
    stream: &mut (impl AsyncBufReadExt + Unpin),
    message: &mut Message,
) {
    loop {
        match next_chunk(stream).await {
            Some(piece) if piece.is_empty() => return,
            Some(piece) => message.body.extend(piece),
            None => {
                message.is_whole = false;
                return;
            }
        }
    }
}

pub(super) async fn next_chunk(stream: &mut (impl AsyncBufReadExt + Unpin)) -> Option<Vec<u8>> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok()?;
    let size = usize::from_str_radix(line.trim_end(), 16).ok()?;
    let mut piece = vec![0; size + 2];
    stream.read_exact(&mut piece).await.ok()?;
    piece.truncate(size);
    Some(piece)
}

pub(super) async fn head(
    stream: &mut (impl AsyncBufReadExt + Unpin),
    is_request: bool,
) -> Option<Message> {
    let first = line(stream).await?;
    let first = String::from_utf8(first).unwrap();
    let first = if is_request { first } else { first.split_once(' ')?.1.to_owned() };
    let mut fields = Vec::new();
    loop {
        let line = line(stream).await?;
        if line.is_empty() {
            return Some(Message { first, fields, body: Vec::new(), is_whole: true });
        }
        let colon = line.iter().position(|byte| *byte == b':')?;
        let (name, value) = line.split_at(colon);
        let value = value[1..].trim_ascii().to_vec();
        fields.push((String::from_utf8_lossy(name).into_owned(), value));
    }
}

async fn line(stream: &mut (impl AsyncBufReadExt + Unpin)) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    stream.read_until(b'\n', &mut line).await.ok()?;
    line.strip_suffix(b"\r\n").map(<[u8]>::to_vec)
}

/// Leaves what both connections must have alike, in an order of its own: only that of fields with
/// one name means anything (RFC 9110 section 5.3).
pub(super) fn tidied(mut message: Message) -> Message {
    let named: Vec<String> = message
        .fields
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("connection"))
        .flat_map(|(_, value)| {
            let value = String::from_utf8_lossy(value).to_lowercase();
            value.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>()
        })
        .collect();
    message.fields.retain(|(name, _)| {
        let name = name.to_lowercase();
        // Follows from the body, which is compared, and from its framing, which is not.
        name != "content-length"
            && !PER_CONNECTION.contains(&name.as_str())
            && !named.contains(&name)
    });
    message.fields.sort_by_key(|(name, _)| name.to_lowercase());
    message
}
