//! Pages of the code service: bare arrays, their numbers in headers.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::reply::Reply;
use crate::request::Request;
use crate::world::World;

/// Items per page when the request does not say.
const USUAL: usize = 30;

/// Items per page at most.
const MOST: usize = 100;

/// One page of items, as the request asks.
pub(crate) fn paged(world: &World, request: &Request, items: Vec<Value>) -> Reply {
    let total = items.len();
    let (page, limit) = asked(request);
    let slice: Vec<Value> =
        items.into_iter().skip((page - 1).saturating_mul(limit)).take(limit).collect();
    with_headers(world, request, Reply::bare(&Value::Array(slice)), total)
}

/// The page and limit of a request; what is no number counts as not said.
pub(crate) fn asked(request: &Request) -> (usize, usize) {
    let number = |name: &str| request.query.first(name).and_then(|text| text.parse::<usize>().ok());
    let page = number("page").unwrap_or(1).max(1);
    (page, number("limit").filter(|limit| *limit > 0).unwrap_or(USUAL).min(MOST))
}

/// The same reply with the numbers of its page.
pub(crate) fn with_headers(world: &World, request: &Request, reply: Reply, total: usize) -> Reply {
    let (page, limit) = asked(request);
    let pages = total.div_ceil(limit);
    let mut links = Vec::new();
    let mut reply = reply
        .with_header("x-page", &page.to_string())
        .with_header("x-per-page", &limit.to_string())
        .with_header("x-total", &total.to_string())
        .with_header("x-total-pages", &pages.to_string());
    if page < pages {
        reply = reply.with_header("x-next-page", &(page + 1).to_string());
        links.push(link(world, request, page + 1, "next"));
    }
    if page > 1 {
        reply = reply.with_header("x-prev-page", &(page - 1).to_string());
        links.push(link(world, request, page - 1, "prev"));
    }
    if pages > 1 {
        links.push(link(world, request, 1, "first"));
        links.push(link(world, request, pages, "last"));
    }
    if links.is_empty() { reply } else { reply.with_header("link", &links.join(", ")) }
}

fn link(world: &World, request: &Request, page: usize, role: &str) -> String {
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let others = request.query.pairs().iter().filter(|(name, _)| name != "page");
    let mut query: Vec<String> =
        others.map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
    query.push(format!("page={page}"));
    let path: Vec<String> = request.segments.iter().map(|segment| encoded(segment)).collect();
    format!("<{}/{}?{}>; rel=\"{role}\"", world.base_url, path.join("/"), query.join("&"))
}
