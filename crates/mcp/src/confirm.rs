//! Asking the person behind the client before something risky.

use std::time::Duration;

use rmcp::model::{
    BooleanSchema, CancelledNotification, CancelledNotificationParam, ClientResult, ElicitRequest,
    ElicitRequestParams, ElicitationAction, ElicitationSchema, PrimitiveSchemaDefinition,
    ProtocolVersion, RequestId, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext, RoleServer};
use serde_json::Value;
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::BoxFuture;

/// Some clients declare that they can ask and then never answer; a person needs a while.
const LONGEST_WAIT_FOR_A_PERSON: Duration = Duration::from_secs(300);

/// Asks for a yes or a no.
pub trait Confirmer: Send + Sync {
    /// Whether there is anybody to ask.
    fn can_ask(&self) -> bool;

    /// Shows `message` with a yes-or-no field and waits for the reply.
    fn ask<'a>(&'a self, message: &'a str) -> BoxFuture<'a, Result<Reply, AskError>>;
}

/// What the person did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Sent the form: with the state of its field, or `None` when that was missing or no boolean.
    Accepted(Option<bool>),
    /// Said no.
    Declined,
    /// Closed the question.
    Cancelled,
}

/// Why there was no reply at all.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AskError {
    /// Nobody can be asked.
    #[error("the client cannot ask its user")]
    Unable,
    /// The client failed, closed or did not answer in time.
    #[error("the client did not ask its user: {0}")]
    Failed(String),
}

/// A confirmer for callers without anybody to ask.
pub struct NobodyToAsk;

impl Confirmer for NobodyToAsk {
    fn can_ask(&self) -> bool {
        false
    }

    fn ask<'a>(&'a self, _message: &'a str) -> BoxFuture<'a, Result<Reply, AskError>> {
        Box::pin(std::future::ready(Err(AskError::Unable)))
    }
}

/// Asks through a server request, which only the `initialize` era has.
pub(crate) struct Elicitation {
    peer: Peer<RoleServer>,
    cancel: CancellationToken,
    can_ask: bool,
}

impl Elicitation {
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        Self {
            peer: context.peer.clone(),
            cancel: context.ct.clone(),
            can_ask: has_server_requests(context) && shows_forms(context),
        }
    }
}

/// From 2026-07-28 on a server may not send requests of its own.
fn has_server_requests(context: &RequestContext<RoleServer>) -> bool {
    context.peer.peer_info().is_some()
        && context.protocol_version().is_some_and(|version| version < ProtocolVersion::V_2026_07_28)
}

/// An empty declaration means forms; one that names only URLs does not include them.
fn shows_forms(context: &RequestContext<RoleServer>) -> bool {
    context
        .client_capabilities()
        .and_then(|capabilities| capabilities.elicitation)
        .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

impl Confirmer for Elicitation {
    fn can_ask(&self) -> bool {
        self.can_ask
    }

    fn ask<'a>(&'a self, message: &'a str) -> BoxFuture<'a, Result<Reply, AskError>> {
        Box::pin(async move {
            if !self.can_ask {
                return Err(AskError::Unable);
            }
            let handle = self
                .peer
                .send_cancellable_request(
                    question(message)?,
                    PeerRequestOptions::with_timeout(LONGEST_WAIT_FOR_A_PERSON),
                )
                .await
                .map_err(|error| AskError::Failed(error.to_string()))?;
            let id = handle.id.clone();
            tokio::select! {
                result = handle.await_response() => {
                    reply(result.map_err(|error| AskError::Failed(error.to_string()))?)
                }
                () = self.cancel.cancelled() => {
                    self.withdraw(id).await;
                    Err(AskError::Failed("the call was cancelled".to_owned()))
                }
            }
        })
    }
}

impl Elicitation {
    /// Tells the client that the question no longer matters, so that it can close its form.
    async fn withdraw(&self, id: RequestId) {
        let reason = "the call that asked was cancelled".to_owned();
        let params = CancelledNotificationParam::new(Some(id), Some(reason));
        let notification = CancelledNotification::new(params);
        if let Err(error) = self.peer.send_notification(notification.into()).await {
            tracing::debug!(%error, "Failed to withdraw a question");
        }
    }
}

fn question(message: &str) -> Result<ServerRequest, AskError> {
    let requested_schema = ElicitationSchema::builder()
        .required_property(
            "confirm",
            PrimitiveSchemaDefinition::Boolean(BooleanSchema::new().with_default(true)),
        )
        .build()
        .map_err(|error| AskError::Failed(error.to_owned()))?;
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.to_owned(),
        requested_schema,
    };
    Ok(ServerRequest::ElicitRequest(ElicitRequest::new(params)))
}

fn reply(result: ClientResult) -> Result<Reply, AskError> {
    let ClientResult::ElicitResult(result) = result else {
        return Err(AskError::Failed("its answer is not the one of an elicitation".to_owned()));
    };
    Ok(match result.action {
        ElicitationAction::Accept => Reply::Accepted(
            result.content.as_ref().and_then(|form| form.get("confirm")).and_then(Value::as_bool),
        ),
        ElicitationAction::Decline => Reply::Declined,
        _ => Reply::Cancelled,
    })
}
