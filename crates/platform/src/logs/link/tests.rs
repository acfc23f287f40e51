use super::*;

fn of(link: &str, base: &str) -> Result<Place, LinkError> {
    place(link, &BaseUrl::parse(base).unwrap())
}

fn stored(link: &str, base: &str) -> String {
    match of(link, base) {
        Ok(Place::Storage { origin, target, .. }) => format!("{origin}{target}"),
        other => panic!("{link}: {other:?}"),
    }
}

fn through_platform(link: &str, base: &str) -> (String, Vec<(String, String)>) {
    match of(link, base) {
        Ok(Place::Platform { path, query }) => (path, query),
        other => panic!("{link}: {other:?}"),
    }
}

const APP: &str = "https://app.harness.io";

#[test]
fn a_link_to_the_platform_goes_under_its_log_service() {
    for (link, path) in [
        ("https://app.harness.io/blob?key=a%2Fb", "/gateway/log-service/blob"),
        ("https://app.harness.io/log-service/blob", "/gateway/log-service/blob"),
        ("https://app3.harness.io/gateway/log-service/blob", "/gateway/log-service/blob"),
    ] {
        assert_eq!(through_platform(link, APP).0, path, "{link}");
    }
    let (_, query) = through_platform("https://app.harness.io/blob?key=a%2Fb", APP);
    assert_eq!(query, [("key".to_owned(), "a/b".to_owned())]);
    assert_eq!(
        through_platform("http://127.0.0.1:8001/blob", "http://127.0.0.1:8001").0,
        "/gateway/log-service/blob"
    );
}

#[test]
fn a_storage_service_is_fetched_as_it_is() {
    for link in [
        "https://storage.googleapis.com/bucket/logs.zip?X-Goog-Signature=1",
        "https://bucket.storage.googleapis.com/logs.zip",
        "https://bucket.s3.amazonaws.com/logs.zip?X-Amz-Signature=1",
        "https://s3.eu-west-1.amazonaws.com/bucket/logs.zip",
        "https://bucket.s3-eu-west-1.amazonaws.com/logs.zip",
    ] {
        assert_eq!(stored(link, APP), link);
    }
}

#[test]
fn a_signed_link_of_an_internal_host_goes_to_the_base() {
    let query = "X-Goog-Signature=abc&X-Goog-SignedHeaders=x-goog-date";
    let internal = format!("https://files.internal:8443/storage/b/logs.zip?{query}");
    assert_eq!(
        stored(&internal, APP),
        format!("https://app.harness.io/storage/b/logs.zip?{query}")
    );
    let covered = "X-Goog-Signature=abc&X-Goog-SignedHeaders=host";
    let app = format!("https://app.harness.io/storage/b/logs.zip?{covered}");
    assert_eq!(stored(&app, "https://acme.harness.io"), app);
    let internal = format!("https://files.internal/storage/b/logs.zip?{covered}");
    assert!(stored(&internal, APP).starts_with("https://app.harness.io/storage/"));
}

#[test]
fn other_hosts_are_refused() {
    for link in [
        "https://evil.example/logs.zip",
        "http://169.254.169.254/latest/meta-data",
        "http://127.0.0.1:22/x",
        "https://harness.io.evil.example/blob",
        "https://evilharness.io/blob",
        "https://s3.evil.example/x",
        "https://amazonaws.com/x",
        "https://ec2.eu-west-1.amazonaws.com/x",
    ] {
        assert!(matches!(of(link, APP), Err(LinkError::UnknownHost(_))), "{link}");
    }
    assert_eq!(of("file:///etc/passwd", APP), Err(LinkError::NotAUrl));
    assert_eq!(of("/blob", APP), Err(LinkError::NotAUrl));
}

#[test]
fn storage_without_tls_is_refused_unless_it_is_this_machine() {
    let link = "http://storage.googleapis.com/b/logs.zip";
    assert!(matches!(of(link, APP), Err(LinkError::NotSecure(_))));
    assert_eq!(
        stored("http://127.0.0.1:9/logs.zip", "http://localhost:8001"),
        "http://127.0.0.1:9/logs.zip"
    );
}
