//! Writes `multipart/form-data` (RFC 7578).

use bytes::{BufMut, Bytes, BytesMut};
use checkrein_catalog::request::Part;

use crate::retry;

/// A form, ready to be sent.
pub(crate) struct Form {
    pub(crate) media_type: String,
    pub(crate) body: Bytes,
}

/// Encodes the parts with a boundary that none of them holds.
pub(crate) fn encode(parts: &[Part]) -> Form {
    let boundary = loop {
        let boundary = format!("checkrein-{:016x}", retry::luck().to_bits());
        if parts.iter().all(|part| !holds(&part.bytes, boundary.as_bytes())) {
            break boundary;
        }
    };
    let mut body = BytesMut::new();
    for part in parts {
        body.put(
            format!(
                "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"",
                quoted(&part.name)
            )
            .as_bytes(),
        );
        if let Some(filename) = &part.filename {
            body.put(format!("; filename=\"{}\"", quoted(filename)).as_bytes());
        }
        if let Some(media_type) = &part.media_type {
            body.put(format!("\r\nContent-Type: {}", one_line(media_type)).as_bytes());
        }
        body.put(&b"\r\n\r\n"[..]);
        body.put(part.bytes.as_slice());
        body.put(&b"\r\n"[..]);
    }
    body.put(format!("--{boundary}--\r\n").as_bytes());
    Form { media_type: format!("multipart/form-data; boundary={boundary}"), body: body.freeze() }
}

fn holds(content: &[u8], boundary: &[u8]) -> bool {
    content.windows(boundary.len()).any(|window| window == boundary)
}

/// RFC 7578 section 2 leaves this to HTML, which escapes just these three.
fn quoted(text: &str) -> String {
    text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

fn one_line(text: &str) -> String {
    text.replace(['\r', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_and_a_file_are_written() {
        let form = encode(&[
            Part { name: "na\"me".into(), filename: None, media_type: None, bytes: b"x".to_vec() },
            Part {
                name: "content".into(),
                filename: Some("a\r\nb.txt".into()),
                media_type: Some("text/plain".into()),
                bytes: b"hello\0".to_vec(),
            },
        ]);
        let boundary = form.media_type.strip_prefix("multipart/form-data; boundary=").unwrap();
        let expected = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"na%22me\"\r\n\r\nx\r\n\
             --{boundary}\r\nContent-Disposition: form-data; name=\"content\"; \
             filename=\"a%0D%0Ab.txt\"\r\nContent-Type: text/plain\r\n\r\nhello\0\r\n--{boundary}--\r\n"
        );
        assert_eq!(form.body, expected.as_bytes());
    }
}
