//! From method and path to a handler; the most specific pattern wins.

use std::collections::HashMap;

use crate::reply::Reply;
use crate::request::Request;
use crate::scope::Scope;
use crate::store::{Store, StoreError};
use crate::world::World;

/// Answers one request.
pub type Handler = fn(&World, &Request, &Params) -> Reply;

/// One line of a family's route table.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// HTTP method.
    pub method: &'static str,
    /// Path with `{name}` for one segment and, at the end, `{*name}` for one or more.
    pub pattern: &'static str,
    /// What answers.
    pub handler: Handler,
}

impl Route {
    /// A line of a route table.
    pub const fn new(method: &'static str, pattern: &'static str, handler: Handler) -> Self {
        Self { method, pattern, handler }
    }
}

/// The values of `{name}` in a matched pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Params(HashMap<String, String>);

impl Params {
    /// The value of a name, or empty when the pattern has none.
    pub fn get(&self, name: &str) -> &str {
        self.0.get(name).map(String::as_str).unwrap_or_default()
    }

    /// The scope of a v1 path: `{org}` and `{project}`.
    pub fn scope(&self) -> Scope {
        Scope::project(self.get("org"), self.get("project"))
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Params {
    fn from(pairs: [(&str, &str); N]) -> Self {
        Self(pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect())
    }
}

/// A path pattern, split once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    // In order of how specific they are; sorting by this decides which route wins.
    Text(String),
    One(String),
    Rest(String),
}

impl Pattern {
    pub(crate) fn parse(pattern: &str) -> Self {
        let pieces = pattern.split('/').filter(|piece| !piece.is_empty()).map(|piece| match piece
            .strip_prefix('{')
            .and_then(|piece| piece.strip_suffix('}'))
        {
            Some(name) => match name.strip_prefix('*') {
                Some(name) => Piece::Rest(name.to_owned()),
                None => Piece::One(name.to_owned()),
            },
            None => Piece::Text(piece.to_owned()),
        });
        Self(pieces.collect())
    }

    pub(crate) fn matches(&self, segments: &[String]) -> Option<Params> {
        let mut values = HashMap::new();
        let mut left = segments.iter();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => {
                    if left.next()? != text {
                        return None;
                    }
                }
                Piece::One(name) => {
                    values.insert(name.clone(), left.next()?.clone());
                }
                Piece::Rest(name) => {
                    let rest: Vec<&str> = left.by_ref().map(String::as_str).collect();
                    if rest.is_empty() {
                        return None;
                    }
                    values.insert(name.clone(), rest.join("/"));
                }
            }
        }
        left.next().is_none().then_some(Params(values))
    }

    /// Orders by specificity, whatever the parameters are called.
    pub(crate) fn rank(&self) -> Vec<u8> {
        let rank = |piece: &Piece| match piece {
            Piece::Text(_) => 0,
            Piece::One(_) => 1,
            Piece::Rest(_) => 2,
        };
        self.0.iter().map(rank).collect()
    }
}

/// All routes, most specific first.
#[derive(Debug)]
pub(crate) struct Router {
    routes: Vec<(Pattern, Route)>,
}

/// What a look-up gave.
#[derive(Debug)]
pub(crate) enum Match {
    Found(Route, Params),
    WrongMethod,
    Unknown,
}

impl Router {
    pub(crate) fn new(routes: Vec<Route>) -> Self {
        let mut routes: Vec<_> =
            routes.into_iter().map(|route| (Pattern::parse(route.pattern), route)).collect();
        routes.sort_by_cached_key(|(pattern, _)| pattern.rank());
        Self { routes }
    }

    pub(crate) fn find(&self, request: &Request) -> Match {
        let mut answer = Match::Unknown;
        for (pattern, route) in &self.routes {
            let Some(params) = pattern.matches(&request.segments) else { continue };
            if route.method == request.method {
                return Match::Found(*route, params);
            }
            // A HEAD is a GET whose body stays behind (RFC 9110 section 9.3.2).
            answer = match answer {
                Match::Found(..) => answer,
                _ if request.method == "HEAD" && route.method == "GET" => {
                    Match::Found(*route, params)
                }
                _ => Match::WrongMethod,
            };
        }
        answer
    }
}

/// Runs `handle` as one unit: what it wrote stays only when the reply is a success.
pub(crate) fn as_unit(world: &World, handle: impl FnOnce() -> Reply) -> Reply {
    let _turn = world.turn();
    if let Err(error) = world.store().begin() {
        return error.into();
    }
    let reply = handle();
    match world.store().end(reply.is_success()) {
        Ok(()) => reply,
        Err(error) => error.into(),
    }
}

impl Store {
    fn begin(&self) -> Result<(), StoreError> {
        self.batch("BEGIN")
    }

    fn end(&self, keep: bool) -> Result<(), StoreError> {
        self.batch(if keep { "COMMIT" } else { "ROLLBACK" })
    }
}

#[cfg(test)]
mod tests {
    use super::{Match, Params, Reply, Request, Route, Router, World};

    fn nothing(_: &World, _: &Request, _: &Params) -> Reply {
        Reply::no_content()
    }

    fn found(method: &str, path: &str) -> Match {
        Router::new(vec![
            Route::new("GET", "/repos/{*repo}", nothing),
            Route::new("GET", "/pipelines/{id}", nothing),
            Route::new("GET", "/pipelines/list", nothing),
            Route::new("GET", "/{family}/{id}", nothing),
        ])
        .find(&Request::new(method, path, b""))
    }

    #[test]
    fn a_fixed_word_beats_a_parameter_and_a_parameter_beats_the_rest() {
        for (path, pattern) in [
            ("/pipelines/list", "/pipelines/list"),
            ("/pipelines/x", "/pipelines/{id}"),
            ("/other/x", "/{family}/{id}"),
            ("/repos/a/b", "/repos/{*repo}"),
        ] {
            let Match::Found(route, _) = found("GET", path) else { panic!("{path} is unknown") };
            assert_eq!(route.pattern, pattern);
        }
    }

    #[test]
    fn another_method_is_told_from_an_unknown_path() {
        assert!(matches!(found("DELETE", "/pipelines/x"), Match::WrongMethod));
        assert!(matches!(found("GET", "/a/b/c"), Match::Unknown));
    }
}
