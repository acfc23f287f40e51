//! Between HTTP and the platform: requests are read whole, replies written whole.

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest as _, Multipart, Request as Incoming};
use axum::http::{HeaderName, HeaderValue, StatusCode, request};
use axum::response::Response;
use serde_json::json;

use crate::ids;
use crate::reply::Reply;
use crate::request::{Part, Request};

/// Largest request body: the file store takes files of 100 MB.
const LARGEST_BODY: usize = 128 * 1024 * 1024;

/// A request with its whole body; a form is taken apart too.
pub(crate) async fn read(incoming: Incoming) -> Result<Request, Reply> {
    let (parts, body) = incoming.into_parts();
    let too_large =
        |_| Reply::json_with(413, &json!({"code": 413, "message": "Payload too large"}));
    let body = to_bytes(body, LARGEST_BODY).await.map_err(too_large)?;
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    let mut request = Request::new(parts.method.as_str(), target, &body);
    request.headers = parts
        .headers
        .iter()
        .map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect();
    if request.header("content-type").is_some_and(|kind| kind.starts_with("multipart/form-data")) {
        request.parts = read_parts(parts, Body::from(body)).await?;
    }
    Ok(request)
}

async fn read_parts(head: request::Parts, body: Body) -> Result<Vec<Part>, Reply> {
    let malformed = |error: String| Reply::unreadable(&format!("multipart: {error}"));
    let incoming = Incoming::from_parts(head, body);
    let mut form =
        Multipart::from_request(incoming, &()).await.map_err(|e| malformed(e.body_text()))?;
    let mut parts = Vec::new();
    while let Some(field) = form.next_field().await.map_err(|e| malformed(e.body_text()))? {
        let name = field.name().unwrap_or_default().to_owned();
        let file_name = field.file_name().map(str::to_owned);
        let bytes = field.bytes().await.map_err(|e| malformed(e.body_text()))?.to_vec();
        parts.push(Part { name, file_name, bytes });
    }
    Ok(parts)
}

/// The HTTP response of a reply.
pub(crate) fn respond(reply: Reply) -> Response {
    let mut response = Response::new(Body::from(reply.body));
    *response.status_mut() =
        StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    for (name, value) in &reply.headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(value)) else { continue };
        headers.append(name, value);
    }
    if let Ok(id) = HeaderValue::from_str(&ids::uuid()) {
        headers.insert("x-correlation-id", id);
    }
    response
}
