//! An upstream behind https with a certificate of its own.

#![expect(clippy::disallowed_types, reason = "a test writes its own bytes, and blocks no runtime")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

/// Serves one tool behind a new certificate for `localhost`; gives its URL and that certificate.
fn upstream(name: &str) -> (String, PathBuf) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, made.cert.pem()).unwrap();
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let config = Arc::clone(&config);
            std::thread::spawn(move || serve(stream.unwrap(), config));
        }
    });
    (format!("https://localhost:{port}/mcp"), path)
}

/// Answers one request; a client that does not trust the certificate sends none.
fn serve(stream: TcpStream, config: Arc<ServerConfig>) -> Option<()> {
    let mut reader =
        BufReader::new(StreamOwned::new(ServerConnection::new(config).unwrap(), stream));
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        reader.read_line(&mut head).ok().filter(|read| *read > 0)?;
    }
    let head = head.to_lowercase();
    let length = head.split("content-length: ").nth(1).and_then(|it| it.lines().next());
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let result = match body["method"].as_str().unwrap_or_default() {
        "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {}}),
        "tools/list" => json!({"tools": [{"name": "create_booking", "inputSchema": {}}]}),
        _ => json!({"content": []}),
    };
    let frame = json!({"jsonrpc": "2.0", "id": body["id"], "result": result}).to_string();
    let length = frame.len();
    let head = format!("Content-Type: application/json\r\nContent-Length: {length}\r\n");
    let reply = format!("HTTP/1.1 200 OK\r\n{head}Connection: close\r\n\r\n{frame}");
    let stream = reader.get_mut();
    stream.write_all(reply.as_bytes()).ok()?;
    stream.conn.send_close_notify();
    stream.flush().ok()
}

fn checkrein(arguments: &[&str], trusted: Option<&PathBuf>, input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checkrein"));
    command.args(arguments).env("HOME", env!("CARGO_TARGET_TMPDIR"));
    command.env_remove("SSL_CERT_DIR").env_remove("SSL_CERT_FILE");
    if let Some(path) = trusted {
        command.env("SSL_CERT_FILE", path);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_certificate_is_trusted_by_the_file_that_holds_it_and_named_when_not() {
    let (url, own) = upstream("own.pem");
    let (_, strange) = upstream("strange.pem");
    let doctor = ["doctor", "--upstream-url", &url];
    let told = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();
    let trusted = checkrein(&doctor, Some(&own), "");
    assert!(trusted.status.success(), "{trusted:?}");
    assert!(told(&trusted).contains("create_booking"), "{trusted:?}");
    let untrusted = checkrein(&doctor, Some(&strange), "");
    assert_eq!(untrusted.status.code(), Some(1), "{untrusted:?}");
    for part in ["certificate of `localhost` is not trusted", "`SSL_CERT_FILE`"] {
        assert!(told(&untrusted).contains(part), "{part}: {untrusted:?}");
    }
}

#[test]
fn a_call_passes_by_tls_and_one_that_cannot_is_answered_by_the_reason() {
    let (url, own) = upstream("call.pem");
    let (_, strange) = upstream("call-strange.pem");
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"});
    for (certificate, part) in [(&own, "create_booking"), (&strange, "is not trusted")] {
        let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("https-run");
        let _ = std::fs::remove_dir_all(&directory);
        let run = directory.to_string_lossy().into_owned();
        let mut arguments = vec!["proxy", "--audit-tools", "off", "--upstream-url", &url];
        arguments.extend(["--run-dir", &run]);
        let answer = converse(&arguments, certificate, &call);
        assert_eq!(answer["id"], 7, "{answer}");
        assert!(answer.to_string().contains(part), "{answer}");
    }
}

/// Sends a request and waits for its answer.
fn converse(arguments: &[&str], trusted: &PathBuf, call: &Value) -> Value {
    let mut child = Command::new(env!("CARGO_BIN_EXE_checkrein"))
        .args(arguments)
        .env_remove("SSL_CERT_DIR")
        .env("SSL_CERT_FILE", trusted)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{call}").unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    drop(input);
    child.wait().unwrap();
    serde_json::from_str(&line).unwrap()
}
