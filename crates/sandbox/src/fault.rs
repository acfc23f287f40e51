//! Fault switches: what a platform does on a bad day, on request.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::request::Request;

/// Faults that may be armed at the same time.
const MOST_FAULTS: usize = 64;
/// Longest delay a fault may add.
const LONGEST_LATENCY_MS: u64 = 10 * 60_000;

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// 429; the text of `Retry-After`, if any (`date` stands for a date in a second).
    TooMany {
        /// Value of `Retry-After`.
        retry_after: Option<String>,
    },
    /// A JSON error with this status; nothing is applied.
    Status(u16),
    /// An HTML page with status 502; nothing is applied.
    Html502,
    /// Applied, answered with 200 and no body.
    Empty200,
    /// Applied, answered with 204.
    NoContent,
    /// Applied, half of the body sent, connection closed.
    CutBody,
    /// Connection closed, nothing applied.
    ResetBefore,
    /// Applied, connection closed without an answer.
    ResetAfter,
    /// Applied, headers sent, then nothing.
    Stall,
    /// Answered as usual, this much later.
    Latency(u64),
    /// Lists grow to about 25 MB.
    HugeList,
    /// Log archive links that have expired.
    ExpiredLogLink,
    /// Log archive links on a host only the platform can reach.
    InternalLogHost,
}

/// The names of all kinds, as the admin route takes them.
pub const KINDS: [&str; 18] = [
    "401",
    "403",
    "429",
    "500",
    "502",
    "503",
    "504",
    "html_502",
    "empty_200",
    "204",
    "cut_body",
    "reset_before",
    "reset_after",
    "stall",
    "latency_ms",
    "huge_list",
    "expired_log_link",
    "internal_log_host",
];

/// A fault and when it strikes.
#[derive(Debug, Clone)]
pub struct Fault {
    kind: Kind,
    method: Option<String>,
    path: String,
    left: Option<u64>,
    probability: Option<f64>,
    dice: u64,
    said: Value,
    struck: u64,
}

impl Fault {
    /// Reads a fault of the admin route.
    pub fn read(said: &Value) -> Result<Self, String> {
        let name = match said.get("kind") {
            Some(Value::String(name)) => name.clone(),
            Some(Value::Number(status)) => status.to_string(),
            _ => return Err(format!("`kind` is missing; known are {}", KINDS.join(", "))),
        };
        let number = |field: &str| said.get(field).and_then(Value::as_u64);
        let text = |field: &str| said.get(field).and_then(Value::as_str).map(str::to_owned);
        let retry_after = match said.get("retry_after") {
            Some(Value::Number(seconds)) => Some(seconds.to_string()),
            _ => text("retry_after"),
        };
        let kind = match name.as_str() {
            "429" => Kind::TooMany { retry_after },
            "401" | "403" | "500" | "502" | "503" | "504" => {
                Kind::Status(name.parse().unwrap_or(500))
            }
            "html_502" => Kind::Html502,
            "empty_200" => Kind::Empty200,
            "204" => Kind::NoContent,
            "cut_body" => Kind::CutBody,
            "reset_before" => Kind::ResetBefore,
            "reset_after" => Kind::ResetAfter,
            "stall" => Kind::Stall,
            "latency_ms" => {
                let ms =
                    number("ms").ok_or("`latency_ms` needs `ms`, the delay in milliseconds")?;
                Kind::Latency(ms.min(LONGEST_LATENCY_MS))
            }
            "huge_list" => Kind::HugeList,
            "expired_log_link" => Kind::ExpiredLogLink,
            "internal_log_host" => Kind::InternalLogHost,
            _ => return Err(format!("unknown kind `{name}`; known are {}", KINDS.join(", "))),
        };
        let probability = said.get("probability").and_then(Value::as_f64);
        if probability.is_some_and(|chance| !(0.0..=1.0).contains(&chance)) {
            return Err("`probability` must be between 0 and 1".to_owned());
        }
        Ok(Self {
            kind,
            method: text("method").map(|method| method.to_ascii_uppercase()),
            path: text("path").unwrap_or_else(|| "/**".to_owned()),
            left: number("count"),
            probability,
            dice: number("seed").unwrap_or(1),
            said: said.clone(),
            struck: 0,
        })
    }

    fn strikes(&mut self, request: &Request, path: &str) -> bool {
        let is_meant = self.method.as_ref().is_none_or(|method| *method == request.method)
            && glob(&self.path, path);
        if !is_meant || self.left == Some(0) {
            return false;
        }
        let misses = |chance| next_fraction(&mut self.dice) >= chance;
        if self.probability.is_some_and(misses) {
            return false;
        }
        self.left = self.left.map(|left| left - 1);
        self.struck += 1;
        true
    }
}

/// The faults that are armed.
#[derive(Debug, Default)]
pub struct Faults(Mutex<Vec<Fault>>);

impl Faults {
    fn all(&self) -> MutexGuard<'_, Vec<Fault>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Arms one more.
    pub fn arm(&self, fault: Fault) -> Result<(), String> {
        let mut all = self.all();
        if all.len() >= MOST_FAULTS {
            return Err(format!("at most {MOST_FAULTS} faults may be armed; clear some first"));
        }
        all.push(fault);
        Ok(())
    }

    /// Disarms all.
    pub fn clear(&self) {
        self.all().clear();
    }

    /// The armed ones with how often each struck.
    pub fn list(&self) -> Value {
        let shown = |fault: &Fault| json!({"fault": fault.said, "struck": fault.struck, "left": fault.left});
        Value::Array(self.all().iter().map(shown).collect())
    }

    /// What happens to a request: the first armed fault that strikes, and every delay.
    pub fn pick(&self, request: &Request) -> (Option<Kind>, u64) {
        let path = request.path();
        let (mut struck, mut delay_ms) = (None, 0);
        for fault in self.all().iter_mut() {
            let is_delay = matches!(fault.kind, Kind::Latency(_));
            if (struck.is_some() && !is_delay) || !fault.strikes(request, &path) {
                continue;
            }
            match fault.kind {
                Kind::Latency(ms) => delay_ms += ms,
                ref kind => struck = Some(kind.clone()),
            }
        }
        (struck, delay_ms)
    }
}

/// Matches a path: `*` stands for anything within a segment, `**` for anything at all.
fn glob(pattern: &str, path: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return pattern == path };
    let Some(rest) = path.strip_prefix(before) else { return false };
    let (after, crosses) = match after.strip_prefix('*') {
        Some(after) => (after, true),
        None => (after, false),
    };
    let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    for end in ends {
        let (taken, left) = rest.split_at(end);
        if !crosses && taken.contains('/') {
            return false;
        }
        if glob(after, left) {
            return true;
        }
    }
    false
}

/// The next fraction of a sequence that is the same for the same seed (splitmix64).
fn next_fraction(dice: &mut u64) -> f64 {
    *dice = dice.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *dice;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    #[expect(clippy::cast_precision_loss, reason = "53 bits are kept, which a double holds")]
    let fraction = (mixed >> 11) as f64 / (1_u64 << 53) as f64;
    fraction
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Fault, Faults, Kind, glob};
    use crate::request::Request;

    fn armed(said: serde_json::Value) -> Faults {
        let faults = Faults::default();
        faults.arm(Fault::read(&said).unwrap()).unwrap();
        faults
    }

    #[test]
    fn a_star_stays_in_its_segment_and_two_do_not() {
        assert!(glob("/ng/api/*", "/ng/api/projects"));
        assert!(!glob("/ng/api/*", "/ng/api/projects/x"));
        assert!(glob("/ng/**", "/ng/api/projects/x"));
        assert!(glob("/ng/*/projects", "/ng/api/projects"));
        assert!(!glob("/ng/api", "/ng/api/projects"));
    }

    #[test]
    fn a_count_runs_out_and_a_method_is_heeded() {
        let faults = armed(json!({"kind": "500", "method": "post", "path": "/x", "count": 2}));
        let post = Request::new("POST", "/x", b"");
        assert_eq!(faults.pick(&Request::new("GET", "/x", b"")), (None, 0));
        let struck: Vec<_> = (0..3).map(|_| faults.pick(&post).0.is_some()).collect();
        assert_eq!(struck, [true, true, false]);
    }

    #[test]
    fn chance_is_the_same_for_the_same_seed() {
        let said = json!({"kind": "stall", "probability": 0.5, "seed": 7});
        let run = || {
            let faults = armed(said.clone());
            (0..64)
                .map(|_| faults.pick(&Request::new("GET", "/x", b"")).0.is_some())
                .collect::<Vec<_>>()
        };
        let struck = run();
        assert_eq!(struck, run());
        assert!(struck.contains(&true) && struck.contains(&false));
    }

    #[test]
    fn a_delay_comes_on_top_of_another_fault() {
        let faults = armed(json!({"kind": "latency_ms", "ms": 5}));
        faults.arm(Fault::read(&json!({"kind": "html_502"})).unwrap()).unwrap();
        assert_eq!(faults.pick(&Request::new("GET", "/x", b"")), (Some(Kind::Html502), 5));
    }

    #[test]
    fn an_unknown_kind_names_the_known_ones() {
        let refusal = Fault::read(&json!({"kind": "flood"})).unwrap_err();
        assert!(refusal.contains("unknown kind `flood`; known are 401, 403"), "{refusal}");
    }
}
