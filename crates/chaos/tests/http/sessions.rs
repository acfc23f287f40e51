//! A session that is lost, and agents that have none.

use std::time::Duration;

use checkrein_chaos::Shape;
use checkrein_verdict::Verdict;

use super::stage::{bookings, create, read, read_chunk, stage};

#[test]
fn a_lost_session_stays_lost_until_the_agent_opens_another() {
    let list = r#"{"jsonrpc":"2.0","id":8,"method":"tools/list"}"#;
    let lost = Some(("session-lost", Shape::Status));
    for stage in
        [stage(lost, bookings(false)), stage(lost, bookings(true)), super::before_pipes(lost)]
    {
        let is_url = !stage.log.lock().unwrap().is_empty() || stage.upstream.port() != 9;
        let session =
            if is_url { super::LEGACY[1].to_owned() } else { super::open_session(&stage) };
        assert_eq!(stage.ask(&[&session], list).unwrap().status(), 200);
        let mut stream = stage.send("GET", "/mcp", &[&session], b"");
        if !is_url {
            assert_eq!(super::read_head(&mut stream), 200);
        }
        let calls = || {
            let log = stage.log.lock().unwrap();
            log.iter().filter(|asked| asked.method() == "tools/call").count()
        };
        assert_eq!(stage.ask(&[&session], &create(1)).unwrap().status(), 404);
        for body in [list, &create(2)] {
            let got = stage.ask(&[&session], body).unwrap();
            assert_eq!(got.status(), 404, "{got:?}");
        }
        for method in ["GET", "DELETE"] {
            let got = read(&mut stage.send(method, "/mcp", &[&session], b"")).unwrap();
            assert_eq!(got.status(), 404);
        }
        if is_url {
            assert_eq!(calls(), 1);
        } else {
            // Its stream has ended too.
            while read_chunk(&mut stream).unwrap().is_some() {}
        }
        let other =
            if is_url { "Mcp-Session-Id: s2".to_owned() } else { super::open_session(&stage) };
        assert_eq!(stage.ask(&[&other], &create(3)).unwrap().status(), 200);
        assert_eq!(stage.verdict().verdict, Verdict::Fail);
    }
}

#[test]
fn an_agent_without_sessions_loses_none_and_the_run_says_so() {
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
    let call = create(1).replace(r#""params":{"#, &format!(r#""params":{{"_meta":{meta},"#));
    let stage = stage(Some(("session-lost", Shape::Status)), bookings(false));
    assert_eq!(stage.ask(super::MODERN, &call).unwrap().status(), 200);
    let judged = stage.verdict();
    assert_eq!(judged.verdict, Verdict::NotTested);
    assert!(format!("{:?}", judged.reasons).contains("ScenarioNotTriggered"), "{judged:?}");
}

#[test]
fn a_session_that_ends_while_its_tools_are_listed_holds_up_no_other() {
    let stage = super::before_pipes(None);
    let started = std::time::Instant::now();
    let opening = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
    let got = stage.ask(&[], opening).unwrap();
    let session = format!("Mcp-Session-Id: {}", got.headers["mcp-session-id"]);
    // The harness's own look at the tools is under way when the process ends.
    let mute = r#"{"jsonrpc":"2.0","method":"notifications/mute"}"#;
    stage.ask(&[&session], mute).unwrap();
    let opened = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    stage.ask(&[&session], opened).unwrap();
    read(&mut stage.send("DELETE", "/mcp", &[&session], b"")).unwrap();
    let other = super::open_session(&stage);
    assert_eq!(stage.ask(&[&other], &create(1)).unwrap().status(), 200);
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
}
