//! When a freeze window holds: its times and its recurrence.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde_json::Value;

/// Occurrences looked at before a recurrence counts as over: five years of days.
const MOST_OCCURRENCES: i64 = 5 * 366;
/// How the platform writes a local time.
const FORMAT: &str = "%Y-%m-%d %I:%M %p";
/// A window may be no shorter than 30 minutes and no longer than 365 days.
const LENGTHS_MS: std::ops::RangeInclusive<i64> = 30 * 60_000..=365 * 86_400_000;

/// One window, read and checked.
#[derive(Debug, Clone)]
pub(super) struct Window {
    zone: TimeZone,
    start: DateTime,
    length_ms: i64,
    every: Option<Span>,
    until: Option<DateTime>,
}

impl Window {
    /// Reads a window of the YAML.
    pub(super) fn read(window: &Value) -> Result<Self, String> {
        let text = |field: &str| window.get(field).and_then(Value::as_str).unwrap_or_default();
        let zone = text("timeZone");
        let zone = TimeZone::get(zone).map_err(|_| format!("timeZone [{zone}] is not known"))?;
        let start = local(text("startTime")).ok_or("startTime must be YYYY-MM-DD hh:mm AM|PM")?;
        let length_ms = match (text("duration"), text("endTime")) {
            ("", "") => return Err("either duration or endTime is needed".to_owned()),
            ("", end) => {
                let end = local(end).ok_or("endTime must be YYYY-MM-DD hh:mm AM|PM")?;
                moment(&zone, end) - moment(&zone, start)
            }
            (duration, "") => {
                duration_ms(duration).ok_or("duration must be like 30m, 1h 30m or 2d")?
            }
            _ => return Err("only one of duration and endTime may be given".to_owned()),
        };
        if !LENGTHS_MS.contains(&length_ms) {
            return Err("a window must last from 30 minutes to 365 days".to_owned());
        }
        let recurrence = window.get("recurrence").filter(|recurrence| !recurrence.is_null());
        let every = recurrence.map(step).transpose()?;
        let spec = recurrence.and_then(|recurrence| recurrence.get("spec"));
        let until = spec.and_then(|spec| spec.get("until")).and_then(Value::as_str);
        Ok(Self { zone, start, length_ms, every, until: until.and_then(local) })
    }

    /// Start and end of the occurrence that holds at `now_ms` or comes next.
    pub(super) fn current_or_next(&self, now_ms: i64) -> Option<(i64, i64)> {
        let mut start = self.start;
        for _ in 0..MOST_OCCURRENCES {
            if self.until.is_some_and(|until| start > until) {
                return None;
            }
            let from = moment(&self.zone, start);
            let to = from.saturating_add(self.length_ms);
            if to > now_ms {
                return Some((from, to));
            }
            start = start.checked_add(self.every?).ok()?;
        }
        None
    }
}

fn local(text: &str) -> Option<DateTime> {
    DateTime::strptime(FORMAT, text).ok()
}

fn moment(zone: &TimeZone, at: DateTime) -> i64 {
    zone.to_ambiguous_zoned_datetime(at)
        .compatible()
        .map(|at| at.timestamp())
        .unwrap_or(Timestamp::MAX)
        .as_millisecond()
}

fn step(recurrence: &Value) -> Result<Span, String> {
    let kind = recurrence.get("type").and_then(Value::as_str).unwrap_or_default();
    let value = recurrence.get("spec").and_then(|spec| spec.get("value")).and_then(Value::as_i64);
    let times = value.unwrap_or(1).clamp(1, 11);
    match kind {
        "Daily" => Ok(Span::new().days(1)),
        "Weekly" => Ok(Span::new().weeks(1)),
        "Monthly" => Ok(Span::new().months(times)),
        "Yearly" => Ok(Span::new().years(1)),
        _ => Err("recurrence.type must be Daily, Weekly, Monthly or Yearly".to_owned()),
    }
}

/// `1h 30m` in milliseconds.
fn duration_ms(text: &str) -> Option<i64> {
    let mut total: i64 = 0;
    for word in text.split_whitespace() {
        let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let number: i64 = word.strip_suffix(unit)?.parse().ok()?;
        let unit_ms = match unit {
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            "w" => 7 * 86_400_000,
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(unit_ms)?)?;
    }
    (total > 0).then_some(total)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Window, duration_ms};

    /// 2026-11-30 10:00 UTC.
    const NOW: i64 = 1_796_032_800_000;

    #[test]
    fn a_daily_window_comes_back_until_it_ends() {
        let mut window = json!({
            "timeZone": "UTC", "startTime": "2026-11-28 09:30 AM", "duration": "1h",
            "recurrence": {"type": "Daily", "spec": {"until": "2026-12-01 11:59 PM"}},
        });
        let daily = Window::read(&window).unwrap();
        assert_eq!(daily.current_or_next(NOW), Some((NOW - 1_800_000, NOW + 1_800_000)));
        assert_eq!(daily.current_or_next(NOW + 40 * 3_600_000), None);
        window["recurrence"] = json!(null);
        assert_eq!(Window::read(&window).unwrap().current_or_next(NOW), None);
    }

    #[test]
    fn a_window_of_the_wrong_length_or_form_is_refused() {
        for (field, value, word) in [
            ("duration", "10m", "30 minutes"),
            ("duration", "soon", "duration"),
            ("startTime", "tomorrow", "startTime"),
            ("timeZone", "Mars/Base", "timeZone"),
            ("endTime", "2026-11-30 11:00 AM", "only one"),
        ] {
            let mut window =
                json!({"timeZone": "UTC", "startTime": "2026-11-30 09:00 AM", "duration": "1h"});
            window[field] = json!(value);
            let refusal = Window::read(&window).unwrap_err();
            assert!(refusal.contains(word), "{refusal}");
        }
        assert_eq!(duration_ms("1h 30m"), Some(5_400_000));
    }
}
