//! What a URL copied from the platform's web console says about a resource.
//!
//! Such a URL only ever fills what the caller left empty, so reading one cannot fail: what is not
//! understood is not there. The pages are a table ([`pages::PAGES`]); the reader knows only how
//! the console builds its paths.

mod pages;
#[cfg(test)]
mod tests;

use checkrein_catalog::model::Scope;
use percent_encoding::percent_decode_str;

use self::pages::{Capture, MODULES, PAGES, PLACES, Page, QUERIES};

/// Longer texts are not a URL somebody pasted; reading them would only cost time.
const LONGEST_URL: usize = 8 * 1024;

/// What was found in a pasted URL.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct PastedUrl {
    /// The resource type its page shows.
    pub(crate) resource_type: Option<&'static str>,
    /// The scope, for the types whose pages exist on several levels.
    pub(crate) scope: Option<Scope>,
    /// Inputs by name; `resource_id` is among them when the page shows one resource.
    pub(crate) inputs: Vec<(&'static str, String)>,
}

impl PastedUrl {
    /// Reads a URL, or a path that starts with `/`.
    pub(crate) fn read(text: &str) -> Self {
        let mut found = Self::default();
        let Some((path, query)) = path_and_query(text.trim()) else { return found };
        let segments = path.split('/').filter(|segment| !segment.is_empty()).map(decode).collect();
        let rest = found.take_places(segments);
        found.take_page(&rest);
        found.take_query(query);
        found
    }

    /// The value of an input.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.inputs.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
    }

    /// Takes `account/A`, `orgs/O`, `projects/P` and `module/M` out of the path, so that an
    /// identifier that is spelled like a page is not mistaken for one, and gives the rest.
    fn take_places(&mut self, segments: Vec<String>) -> Vec<String> {
        let mut rest = Vec::with_capacity(segments.len());
        let mut words = segments.into_iter().peekable();
        while let Some(word) = words.next() {
            // `all/cd/…` is the newer spelling of `module/cd/…`.
            if word == "all" && rest.iter().all(|before| before == "ng") {
                if let Some(module) = words.next_if(|next| MODULES.contains(&next.as_str())) {
                    self.inputs.push(("module", module));
                }
                continue;
            }
            let place = PLACES.iter().find(|(place, _)| *place == word);
            // A second `projects` is a page below the first one.
            match place {
                Some((_, input)) if self.get(input).is_none() => {
                    let Some(value) = words.next() else { break };
                    self.inputs.push((input, value));
                }
                _ => rest.push(word),
            }
        }
        rest
    }

    fn take_page(&mut self, segments: &[String]) {
        let best = PAGES
            .iter()
            .filter_map(|page| Match::find(page, segments))
            .max_by_key(|found| (found.length, found.start));
        let Some(Match { page, captures, .. }) = best else {
            self.resource_type = self.place_shown(segments);
            return;
        };
        if page.resource.is_empty() {
            return;
        }
        self.resource_type = Some(page.resource);
        for (capture, value) in captures {
            if let Some(input) = capture.input {
                self.inputs.push((input, value.clone()));
            }
            if capture.is_resource {
                self.inputs.push(("resource_id", value));
            }
        }
        if page.scoped {
            self.scope = Some(self.deepest_place());
        }
    }

    /// A URL that ends at a project or an organization shows that one.
    fn place_shown(&self, rest: &[String]) -> Option<&'static str> {
        let shows_a_place = rest
            .iter()
            .all(|word| ["ng", "#", "home", "settings", "details"].contains(&word.as_str()));
        match self.deepest_place() {
            Scope::Project if shows_a_place => Some("project"),
            Scope::Org if shows_a_place => Some("organization"),
            _ => None,
        }
    }

    fn deepest_place(&self) -> Scope {
        if self.get("project_id").is_some() {
            Scope::Project
        } else if self.get("org_id").is_some() {
            Scope::Org
        } else {
            Scope::Account
        }
    }

    fn take_query(&mut self, query: &str) {
        for (key, value) in url::form_urlencoded::parse(query.as_bytes()) {
            let Some((_, input)) = QUERIES.iter().find(|(name, _)| *name == key) else { continue };
            if !value.is_empty() && self.get(input).is_none() {
                self.inputs.push((input, value.into_owned()));
            }
        }
    }
}

/// A page found in a path.
struct Match {
    page: &'static Page,
    start: usize,
    length: usize,
    captures: Vec<(Capture, String)>,
}

impl Match {
    /// The longest stretch of the path that reads like the page; a page's last capture may be
    /// missing, which is the list the resource is in.
    fn find(page: &'static Page, segments: &[String]) -> Option<Self> {
        (0..segments.len())
            .filter_map(|start| Self::at(page, start, segments.get(start..)?))
            .max_by_key(|found| found.length)
    }

    fn at(page: &'static Page, start: usize, segments: &[String]) -> Option<Self> {
        let mut captures = Vec::new();
        let mut words = segments.iter();
        let mut length = 0;
        let mut parts = page.path.split('/').peekable();
        while let Some(part) = parts.next() {
            let capture = Capture::read(part);
            match (capture, words.next()) {
                (None, Some(word)) if word == part => {}
                (Some(capture), Some(word)) => captures.push((capture, word.clone())),
                (Some(_), None) if parts.peek().is_none() => break,
                _ => return None,
            }
            length += 1;
        }
        Some(Self { page, start, length, captures })
    }
}

/// The path and query of a URL; the console's older URLs have both behind a `#`.
fn path_and_query(text: &str) -> Option<(&str, &str)> {
    if text.len() > LONGEST_URL {
        return None;
    }
    let path = match text.split_once("://") {
        Some((scheme, rest)) if scheme == "http" || scheme == "https" => {
            rest.get(rest.find('/')?..)?
        }
        Some(_) => return None,
        None if text.starts_with('/') => text,
        None => return None,
    };
    let path = match path.split_once('#') {
        Some((_, fragment)) if fragment.starts_with('/') => fragment,
        Some((path, _)) => path,
        None => path,
    };
    Some(path.split_once('?').unwrap_or((path, "")))
}

fn decode(segment: &str) -> String {
    percent_decode_str(segment).decode_utf8_lossy().into_owned()
}
