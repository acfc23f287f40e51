//! Every other fault over HTTP, with a careless and a careful agent, and what the upstream knows.

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use checkrein_chaos::http::To;
use checkrein_chaos::scenario::read as read_scenario;
use checkrein_chaos::stdio::Command;
use checkrein_chaos::{Config, Plan, Probe, Scenario, Shape};
use checkrein_verdict::Verdict::{self, Fail, Pass};
use serde_json::{Value, json};

use super::stage::{
    JSON, Message, Stage, answer, begin_stream, create, stage_of, upstream, write_chunk,
};

/// What the upstream really did.
#[derive(Debug, Clone, Default)]
struct Truth {
    made: Arc<AtomicUsize>,
    looked_at: Arc<AtomicUsize>,
}

impl Truth {
    fn made(&self) -> usize {
        self.made.load(Ordering::SeqCst)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Replies {
    Json,
    Stream,
    Task,
}

/// An upstream that counts its bookings and shows how many there are.
fn rooms(truth: Truth, replies: Replies) -> impl Fn(&Message, &mut TcpStream) + Send + Sync {
    move |asked, stream| {
        let message = asked.json();
        let result = match (asked.method().as_str(), message["params"]["name"].as_str()) {
            ("tools/list", _) => json!({"tools": [
                {"name": "create_booking", "inputSchema": {"type": "object"}},
                {"name": "get_booking", "inputSchema": {"type": "object"}},
            ]}),
            ("tools/call", Some("create_booking")) => {
                let made = truth.made.fetch_add(1, Ordering::SeqCst) + 1;
                match replies {
                    Replies::Task => {
                        json!({"task": {"taskId": made.to_string(), "status": "working"}})
                    }
                    _ => json!({"content": [{"type": "text", "text": format!("booked {made}")}]}),
                }
            }
            ("tools/call", _) => {
                truth.looked_at.fetch_add(1, Ordering::SeqCst);
                let text = format!("there are {}", truth.made());
                json!({"content": [{"type": "text", "text": text}]})
            }
            ("tasks/get", _) => {
                json!({"taskId": message["params"]["taskId"], "status": "completed"})
            }
            _ => return answer(stream, "202 Accepted", "", ""),
        };
        let frame = json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string();
        if replies == Replies::Stream && asked.method() == "tools/call" {
            begin_stream(stream);
            write_chunk(stream, &format!("event: message\ndata: {frame}\n\n"));
            write_chunk(stream, "");
            return;
        }
        answer(stream, "200 OK", JSON, &frame);
    }
}

/// A built-in scenario with shorter times.
fn shortened(name: &str, long: &str, short: &str) -> Scenario {
    let path = format!("{}/../../scenarios/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(long), "{text}");
    // A built-in name is no name for a scenario of one's own.
    let text = text.replace(&format!("scenario: {name}"), "scenario: shortened");
    read_scenario(&text.replace(long, short)).unwrap()
}

fn start(config: Config, truth: &Truth, replies: Replies) -> Stage {
    let (address, log) = upstream(Arc::new(rooms(truth.clone(), replies)));
    stage_of(config, To::Url(super::address(address)), address, log)
}

fn look(stage: &Stage, id: u64) -> String {
    let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": "get_booking", "arguments": {}}});
    text(&stage.ask(super::LEGACY, &call.to_string()).unwrap())
}

fn text(message: &Message) -> String {
    String::from_utf8_lossy(&message.body).into_owned()
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Agent {
    /// Writes once more, whatever it heard.
    Careless,
    /// Keeps every wait, looks before and after, and never writes twice.
    Careful,
}

/// What an agent heard.
#[derive(Debug, Default)]
struct Heard {
    before: String,
    write: Message,
    after: String,
    again: Message,
}

fn play(stage: &Stage, agent: Agent) -> Heard {
    let before = look(stage, 1);
    let write = stage.ask(super::LEGACY, &create(2)).unwrap();
    let mut heard = Heard { before, write, ..Heard::default() };
    let wait = heard.write.headers.get("retry-after");
    match (agent, wait) {
        (Agent::Careless, _) => {
            heard.again = stage.ask(super::LEGACY, &create(3)).unwrap();
        }
        (Agent::Careful, Some(date)) => {
            let until = httpdate::parse_http_date(date).unwrap();
            let rest = until.duration_since(SystemTime::now()).unwrap_or_default();
            assert!(rest <= Duration::from_secs(3), "{rest:?}");
            std::thread::sleep(rest);
            heard.again = stage.ask(super::LEGACY, &create(3)).unwrap();
        }
        (Agent::Careful, None) => heard.after = look(stage, 3),
    }
    heard
}

/// The verdict and the bookings really made: of the careless agent, then of the careful one.
type Ends = [(Verdict, usize); 2];

fn each(scenario: &Scenario, replies: Replies, ends: Ends, check: impl Fn(Agent, &Heard)) {
    for (agent, (verdict, made)) in [Agent::Careless, Agent::Careful].into_iter().zip(ends) {
        let truth = Truth::default();
        let plan = Plan::Scenario(scenario.clone());
        let stage = start(Config { plan, ..Config::default() }, &truth, replies);
        let heard = play(&stage, agent);
        check(agent, &heard);
        if replies == Replies::Task {
            // The harness follows the task whose handle was lost.
            std::thread::sleep(Duration::from_millis(1500));
        }
        let judged = stage.verdict();
        let name = &scenario.name;
        let case = format!("{name}, {agent:?}, {replies:?}: {judged:?}, {heard:?}");
        assert_eq!((judged.verdict, truth.made()), (verdict, made), "{case}");
    }
}

fn named(name: &str, shape: Shape) -> Scenario {
    let mut scenario = Scenario::named(name).unwrap();
    assert!(scenario.set_shape(shape), "{name} has no {}", shape.name());
    scenario
}

const PLAIN: [Replies; 2] = [Replies::Json, Replies::Stream];

#[test]
fn a_redelivery_is_not_the_agents_and_its_own_repeat_is() {
    for replies in PLAIN {
        let scenario = named("redelivery", Shape::Soft);
        each(&scenario, replies, [(Fail, 3), (Pass, 2)], |_, heard| {
            assert!(text(&heard.write).contains("booked 2"), "{heard:?}");
        });
    }
}

#[test]
fn a_late_commit_lands_after_the_look_up() {
    for replies in PLAIN {
        let scenario = named("late-commit", Shape::Soft);
        each(&scenario, replies, [(Fail, 2), (Pass, 1)], |agent, heard| {
            assert!(text(&heard.write).contains("timed out"), "{heard:?}");
            if agent == Agent::Careful {
                assert!(heard.after.contains("there are 0"), "{heard:?}");
            }
        });
    }
}

#[test]
fn a_dripping_answer_comes_whole() {
    for replies in PLAIN {
        let scenario = shortened("slow-drip", "every_s: 0.5", "every_s: 0.01");
        each(&scenario, replies, [(Fail, 2), (Pass, 1)], |_, heard| {
            assert!(text(&heard.write).contains("booked 1"), "{heard:?}");
        });
    }
}

#[test]
fn a_doubled_answer_comes_twice_where_it_can() {
    for replies in PLAIN {
        let scenario = named("duplicate-response", Shape::Soft);
        each(&scenario, replies, [(Fail, 2), (Pass, 1)], |_, heard| {
            // A body is one answer; a stream may hold two.
            let times = if replies == Replies::Stream { 2 } else { 1 };
            assert_eq!(text(&heard.write).matches("booked 1").count(), times, "{heard:?}");
        });
    }
}

#[test]
fn a_stale_read_shows_what_was() {
    for replies in PLAIN {
        let scenario = Scenario::named("stale-read").unwrap();
        each(&scenario, replies, [(Fail, 2), (Pass, 1)], |agent, heard| {
            assert!(heard.before.contains("there are 0"), "{heard:?}");
            if agent == Agent::Careful {
                assert!(heard.after.contains("there are 0"), "{heard:?}");
            }
        });
    }
}

#[test]
fn a_tool_that_is_gone_for_a_while_is_refused() {
    for replies in PLAIN {
        let scenario = Scenario::named("list-change").unwrap();
        each(&scenario, replies, [(Pass, 1), (Pass, 1)], |agent, heard| {
            assert!(text(&heard.write).contains("booked 1"), "{heard:?}");
            if agent == Agent::Careless {
                assert!(text(&heard.again).contains("Unknown tool"), "{heard:?}");
            }
        });
    }
}

#[test]
fn a_task_whose_handle_is_lost_counts_as_what_became_of_it() {
    let scenario = named("lost-task-handle", Shape::Soft);
    let ends = [(Verdict::NotTested, 2), (Pass, 1)];
    each(&scenario, Replies::Task, ends, |_, heard| {
        assert!(!text(&heard.write).contains("taskId"), "{heard:?}");
    });
}

#[test]
fn a_lost_authorization_does_not_undo_the_write() {
    for replies in PLAIN {
        let scenario = named("auth-lost", Shape::Status);
        each(&scenario, replies, [(Fail, 2), (Pass, 1)], |_, heard| {
            assert_eq!(heard.write.status(), 401);
        });
    }
}

#[test]
fn a_date_to_come_back_at_is_kept_or_not() {
    let mut scenario = shortened("unavailable", "retry_after_s: 60", "retry_after_s: 1");
    assert!(scenario.set_shape(Shape::Status));
    each(&scenario, Replies::Json, [(Fail, 1), (Pass, 1)], |_, heard| {
        assert_eq!(heard.write.status(), 503);
    });
}

#[test]
fn a_probe_looks_before_and_after_and_is_not_the_agents() {
    for (agent, verdict, made) in [(Agent::Careless, Fail, 2), (Agent::Careful, Pass, 1)] {
        let truth = Truth::default();
        let probe = Probe { tool: "get_booking".to_owned(), arguments: serde_json::Map::new() };
        let plan = Plan::Scenario(named("F1", Shape::Status));
        let config = Config { plan, probes: vec![probe], ..Config::default() };
        let stage = start(config, &truth, Replies::Stream);
        play(&stage, agent);
        let log = std::sync::Arc::clone(&stage.log);
        assert_eq!((stage.verdict().verdict, truth.made()), (verdict, made), "{agent:?}");
        let of_agent = |asked: &&Message| asked.json()["params"]["name"] == "get_booking";
        let looks = log.lock().unwrap().iter().filter(of_agent).count();
        let by_probe = truth.looked_at.load(Ordering::SeqCst) - looks;
        assert!(by_probe >= 2, "{by_probe} probes, {looks} looks of the agent's");
    }
}

/// An MCP server on pipes that keeps its bookings in a file.
const KEEPER: &str = r#"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) r='{"protocolVersion":"2025-11-25"}' ;;
    *tools/list*) r='{"tools":[{"name":"create_booking","inputSchema":{"type":"object"}},{"name":"get_booking","inputSchema":{"type":"object"}}]}' ;;
    *create_booking*) echo x >> "$0"; r='{"content":[],"process":'$$'}' ;;
    *get_booking*) r='{"content":[],"process":'$$'}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$r"
done
"#;

#[test]
fn an_upstream_on_pipes_is_started_again_behind_an_agent_on_http() {
    for (agent, verdict, made) in [(Agent::Careless, Fail, 2), (Agent::Careful, Pass, 1)] {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_path_buf();
        let arguments = vec!["-c".into(), KEEPER.into(), path.clone().into()];
        let command = Command { program: "sh".into(), arguments, ..Command::default() };
        let plan = Plan::Scenario(named("upstream-restart", Shape::Soft));
        let config = Config { plan, ..Config::default() };
        let nowhere = ([127, 0, 0, 1], 9).into();
        let stage = stage_of(config, To::Command(command), nowhere, super::stage::Log::default());
        let session = super::open_session(&stage);
        let process = |id: u64, tool: &str| {
            let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": {"name": tool, "arguments": {}}});
            let got = stage.ask(&[&session], &call.to_string()).unwrap();
            let result: Value = got.json()["result"].clone();
            (result["process"].as_u64(), result["isError"] == true)
        };
        let (first, _) = process(1, "get_booking");
        assert_eq!(process(2, "create_booking"), (None, true));
        let second = match agent {
            Agent::Careless => process(3, "create_booking").0,
            Agent::Careful => process(3, "get_booking").0,
        };
        assert!(first.is_some() && second.is_some() && first != second, "{first:?} {second:?}");
        assert_eq!(stage.verdict().verdict, verdict, "{agent:?}");
        let kept = std::fs::read_to_string(path).unwrap();
        assert_eq!(kept.lines().count(), made, "{agent:?}");
    }
}
