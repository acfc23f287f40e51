//! Asks an upstream behind a URL a few things in a client's place, by the relay's own client.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderValue};
use hyper::{HeaderMap, Method, Request, StatusCode, Uri};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::LocalSet;

use super::address::Address;
use super::client;
use super::headers::{self, SESSION, VERSION};
use super::hearing::answers;
use super::input::{Input, Lost};

/// How long the upstream may take to take leave.
const GOODBYE: Duration = Duration::from_millis(500);

/// Why a question has no result.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    /// Nobody is there.
    #[error("{0}")]
    Unreachable(String),
    /// It broke off.
    #[error("{0}")]
    Broken(String),
    /// Nothing came in time.
    #[error("no answer came in time")]
    Silent,
    /// A status that is no success, and no error of the protocol with it.
    #[error("it answered with the status {0}")]
    Status(StatusCode),
    /// An error of the protocol.
    #[error("{0}")]
    Refused(String),
    /// Something else than an answer.
    #[error("what it answered is no message of the protocol")]
    Stray,
}

/// A client of an upstream behind a URL, with one request at a time.
#[derive(Debug)]
pub struct Visitor {
    address: Address,
    fields: HeaderMap,
    next_id: u64,
}

impl Visitor {
    /// One that has not asked yet.
    pub fn new(address: Address) -> Self {
        let mut fields = headers::fresh();
        if let Ok(host) = HeaderValue::from_str(&address.authority) {
            fields.insert(HOST, host);
        }
        Self { address, fields, next_id: 0 }
    }

    /// Names this revision in the fields from now on.
    pub fn set_version(&mut self, version: &str) {
        if let Ok(version) = HeaderValue::from_str(version) {
            self.fields.insert(VERSION, version);
        }
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// When there is no result.
    pub async fn request(
        &mut self,
        method: &str,
        params: Value,
        patience: Duration,
    ) -> Result<Value, NoAnswer> {
        self.next_id += 1;
        let id = Value::from(format!("doctor-{}", self.next_id));
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let answer = self.exchange(Method::POST, message.to_string(), Some(id.to_string()));
        tokio::time::timeout(patience, answer).await.map_err(|_| NoAnswer::Silent)?
    }

    /// Says something that is not answered.
    ///
    /// # Errors
    /// When it cannot be said.
    pub async fn notify(&mut self, method: &str, patience: Duration) -> Result<(), NoAnswer> {
        let message = json!({"jsonrpc": "2.0", "method": method}).to_string();
        let said = self.exchange(Method::POST, message, None);
        tokio::time::timeout(patience, said).await.map_err(|_| NoAnswer::Silent)?.map(drop)
    }

    /// Ends the session, where there is one.
    pub async fn leave(mut self) {
        if self.fields.contains_key(SESSION) {
            let said = self.exchange(Method::DELETE, String::new(), None);
            // Servers may refuse it (MCP 2025-11-25, transports, session management).
            let _ = tokio::time::timeout(GOODBYE, said).await;
        }
    }

    async fn exchange(
        &mut self,
        method: Method,
        body: String,
        id: Option<String>,
    ) -> Result<Value, NoAnswer> {
        let mut fields = self.fields.clone();
        if headers::is_modern(&fields) {
            headers::mirror(&mut fields, body.as_bytes(), b"");
        }
        if body.is_empty() {
            fields.remove(CONTENT_TYPE);
            fields.remove(CONTENT_LENGTH);
        } else {
            headers::set_length(&mut fields, body.len());
        }
        let mut request = Request::new(Full::new(Bytes::from(body)));
        *request.method_mut() = method;
        *request.uri_mut() = Uri::try_from(&self.address.target).unwrap_or_default();
        *request.headers_mut() = fields;
        #[expect(clippy::disallowed_methods, reason = "the client waits until its event was read")]
        let (inputs, mut said) = mpsc::unbounded_channel();
        let address = self.address.clone();
        // The client is a task of the relay's thread; here it has a set of its own.
        let tasks = LocalSet::new();
        let fields = &mut self.fields;
        tasks
            .run_until(async move {
                let _task = client::send(address, 0, request, inputs);
                loop {
                    match said.recv().await {
                        Some(Input::Whole(_, head, body)) => {
                            learn_session(fields, &head.headers);
                            return whole(head.status, &body, id.as_deref());
                        }
                        Some(Input::Head(_, head)) => {
                            learn_session(fields, &head.headers);
                            if id.is_none() || !head.status.is_success() {
                                return whole(head.status, b"", id.as_deref());
                            }
                        }
                        Some(Input::Event(_, event, _left)) => {
                            let data = event.data.unwrap_or_default();
                            if answers(&data) == id.as_deref() {
                                return result(&data);
                            }
                        }
                        Some(Input::Failed(_, Lost::Unreachable(why))) => {
                            return Err(NoAnswer::Unreachable(why));
                        }
                        Some(Input::Failed(_, Lost::Broken(why))) => {
                            return Err(NoAnswer::Broken(why));
                        }
                        Some(_) | None => {
                            return Err(NoAnswer::Broken(
                                "the stream ended without an answer".to_owned(),
                            ));
                        }
                    }
                }
            })
            .await
    }
}

fn learn_session(fields: &mut HeaderMap, told: &HeaderMap) {
    if let Some(session) = told.get(SESSION) {
        fields.insert(SESSION, session.clone());
    }
}

fn whole(status: StatusCode, body: &[u8], id: Option<&str>) -> Result<Value, NoAnswer> {
    match (id, status.is_success()) {
        (None, true) => Ok(Value::Null),
        (Some(id), true) if answers(body) == Some(id) => result(body),
        (Some(_), true) => Err(NoAnswer::Stray),
        // A server that does not know the session or the revision says so in the body.
        (_, false) => match result(body) {
            Err(NoAnswer::Refused(why)) => Err(NoAnswer::Refused(why)),
            _ => Err(NoAnswer::Status(status)),
        },
    }
}

fn result(frame: &[u8]) -> Result<Value, NoAnswer> {
    let mut message: Value = serde_json::from_slice(frame).map_err(|_| NoAnswer::Stray)?;
    if let Some(error) = message.get("error") {
        let text = error.get("message").and_then(Value::as_str).unwrap_or("an error");
        return Err(NoAnswer::Refused(text.to_owned()));
    }
    message.get_mut("result").map(Value::take).ok_or(NoAnswer::Stray)
}
