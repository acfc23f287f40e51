use super::*;

fn failed(kind: Kind, status: Option<u16>) -> ApiError {
    ApiError { status, ..ApiError::new(kind, "x") }
}

#[test]
fn only_passing_trouble_is_tried_again() {
    for status in [429, 500, 502, 503, 504] {
        assert!(may_pass(&failed(Kind::Status, Some(status))), "{status}");
        assert!(may_pass(&failed(Kind::Html, Some(status))), "{status}");
    }
    for status in [400, 401, 403, 404, 408, 409, 422, 501] {
        assert!(!may_pass(&failed(Kind::Status, Some(status))), "{status}");
    }
    assert!(may_pass(&failed(Kind::TimedOut, None)));
    assert!(may_pass(&failed(Kind::TimedOut, Some(200))));
    assert!(may_pass(&failed(Kind::Lost, None)));
    for kind in [Kind::NotReached, Kind::Cancelled, Kind::Unsendable, Kind::Redirected] {
        assert!(!may_pass(&failed(kind, None)), "{kind:?}");
    }
    assert!(!may_pass(&failed(Kind::Html, Some(200))));
    assert!(!may_pass(&failed(Kind::TooLarge, Some(200))));
}

#[test]
fn pauses_double_and_are_shortened_by_up_to_half() {
    let bounds = |attempt| [0.0, 1.0].map(|luck| pause(FIRST_PAUSE, attempt, luck).as_millis());
    assert_eq!(bounds(1), [500, 1000]);
    assert_eq!(bounds(2), [1000, 2000]);
    assert_eq!(bounds(3), [2000, 4000]);
    assert_eq!(bounds(40), [15_000, 30_000]);
    assert!((0..100).all(|_| (0.0..=1.0).contains(&luck())));
}

#[test]
fn retry_after_takes_seconds_and_the_three_date_forms() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777 - 30);
    let of = |value| retry_after(value, None, now);
    assert_eq!(of("120"), Some(Duration::from_secs(120)));
    assert_eq!(of(" 0 "), Some(Duration::ZERO));
    for date in [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
    ] {
        assert_eq!(of(date), Some(Duration::from_secs(30)), "{date}");
    }
    assert_eq!(of("Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO));
    for nonsense in ["", "-1", "1.5", "soon", "Sun, 99 Nov 1994"] {
        assert_eq!(of(nonsense), None, "{nonsense}");
    }
}

#[test]
fn a_retry_date_is_measured_on_the_platforms_clock() {
    let date = Some("Sun, 06 Nov 1994 08:49:07 GMT");
    let wait = retry_after("Sun, 06 Nov 1994 08:49:37 GMT", date, SystemTime::now());
    assert_eq!(wait, Some(Duration::from_secs(30)));
}

#[test]
fn a_spent_budget_allows_one_retry_in_five_requests() {
    let budget = RetryBudget::full();
    assert_eq!((0..100).filter(|_| budget.spend()).count(), 20);
    (0..5).for_each(|_| budget.earn());
    assert!(budget.spend());
    assert!(!budget.spend());
}

proptest::proptest! {
    #[test]
    fn no_retry_after_panics(value in "\\PC{0,40}", date in proptest::option::of("\\PC{0,40}")) {
        let _ = retry_after(&value, date.as_deref(), SystemTime::now());
    }

    #[test]
    fn any_number_of_seconds_is_read(seconds: u64) {
        let read = retry_after(&seconds.to_string(), None, SystemTime::now());
        proptest::prop_assert_eq!(read, Some(Duration::from_secs(seconds)));
    }
}
