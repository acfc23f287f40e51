//! The least that a client can do for the same reply: send, read the head, read the body.
#![expect(clippy::disallowed_types, reason = "there is no runtime here to block")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Result, ensure};

use super::cpu;

/// What so many requests over one connection cost after some to warm up.
pub(super) fn cpu(address: SocketAddr, warm_up: usize, calls: usize) -> Result<Duration> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let body = r#"{"filterType":"PipelineSetup"}"#;
    let request = format!(
        "POST /pipeline/api/pipelines/list?accountIdentifier=acct123 HTTP/1.1\r\nHost: {address}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut before = Duration::ZERO;
    for call in 0..warm_up + calls {
        if call == warm_up {
            before = cpu::of_this_thread()?;
        }
        stream.write_all(request.as_bytes())?;
        let bytes = read(&mut reader)?;
        ensure!(!bytes.is_empty(), "an empty reply");
    }
    Ok(cpu::of_this_thread()?.saturating_sub(before))
}

fn read(reader: &mut BufReader<TcpStream>) -> Result<Vec<u8>> {
    let mut length = 0;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}
