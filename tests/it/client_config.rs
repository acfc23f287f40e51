//! The configuration of an agent is merged into its own file and starts this server.

use checkrein_testkit::{Place, binary};
use serde_json::{Value, json};

const JSON_FILES: [(&str, &str, &str); 6] = [
    ("claude-code", ".mcp.json", "mcpServers"),
    ("claude-desktop", ".config/Claude/claude_desktop_config.json", "mcpServers"),
    ("cursor", ".cursor/mcp.json", "mcpServers"),
    ("vscode", ".vscode/mcp.json", "servers"),
    ("gemini", ".gemini/settings.json", "mcpServers"),
    ("windsurf", ".codeium/windsurf/mcp_config.json", "mcpServers"),
];

#[test]
fn what_is_printed_is_what_is_installed() {
    let place = Place::new();
    for (client, file, _) in JSON_FILES {
        let printed = json_of(&place, &["client-config", client, "--json"]);
        run(&place, &["client-config", client, "--install"]);
        assert_eq!(printed["snippet"], place.read(file), "{client}");
    }
    let printed = json_of(&place, &["client-config", "codex", "--json"]);
    run(&place, &["client-config", "codex", "--install"]);
    assert_eq!(printed["snippet"], place.read(".codex/config.toml"));
}

#[test]
fn everything_else_stays_and_a_second_time_changes_nothing() {
    for (client, file, servers) in JSON_FILES {
        let place = Place::new();
        let mine = json!({"first": 1, servers: {"mine": {"command": "x"}}, "last": [true]});
        place.write(file, &format!("{mine}"));
        let changed = json_of(&place, &["client-config", client, "--install", "--json"]);
        assert_eq!(changed["changed"], true);
        let after: Value = serde_json::from_str(&place.read(file)).unwrap();
        assert_eq!((&after["first"], &after["last"]), (&mine["first"], &mine["last"]));
        assert_eq!(after[servers]["mine"], mine[servers]["mine"]);
        assert_eq!(after[servers]["checkrein"]["command"], json!(binary()));
        assert_eq!(place.read(&format!("{file}.bak")), mine.to_string(), "the backup");

        let text = place.read(file);
        let again = json_of(&place, &["client-config", client, "--install", "--json"]);
        assert_eq!((&again["changed"], place.read(file)), (&json!(false), text), "{client}");
    }
}

#[test]
fn comments_of_a_toml_file_stay() {
    let place = Place::new();
    let mine = "# my model\nmodel = \"x\" # keep\n\n[mcp_servers.mine]\ncommand = \"y\"\n";
    place.write(".codex/config.toml", mine);
    run(&place, &["client-config", "codex", "--install"]);
    assert!(place.read(".codex/config.toml").starts_with(mine));
    assert_eq!(place.read(".codex/config.toml.bak"), mine);
}

#[test]
fn a_broken_file_is_left_alone() {
    let place = Place::new();
    place.write(".cursor/mcp.json", "{ \"mcpServers\": ");
    place.write(".codex/config.toml", "= broken");
    for client in ["cursor", "codex"] {
        let output = place.run(&["client-config", client, "--install"]);
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains("hint: "), "{text}");
    }
    assert_eq!(place.read(".cursor/mcp.json"), "{ \"mcpServers\": ");
    assert_eq!(place.read(".codex/config.toml"), "= broken");
}

#[test]
fn no_secret_is_written() {
    let place = Place::new().with("HARNESS_API_KEY", "pat.account.id.s3cr3t");
    for (client, file, _) in JSON_FILES {
        run(&place, &["client-config", client, "--install"]);
        assert!(!place.read(file).contains("s3cr3t"), "{client}");
    }
}

#[cfg(unix)]
#[test]
fn a_linked_file_stays_a_link() {
    let place = Place::new();
    place.write("dotfiles/mcp.json", "{}");
    std::fs::create_dir(place.path().join(".cursor")).unwrap();
    let link = place.path().join(".cursor/mcp.json");
    std::os::unix::fs::symlink(place.path().join("dotfiles/mcp.json"), &link).unwrap();
    run(&place, &["client-config", "cursor", "--install"]);
    assert!(link.is_symlink());
    assert!(place.read("dotfiles/mcp.json").contains("checkrein"));
}

fn run(place: &Place, arguments: &[&str]) -> Vec<u8> {
    let output = place.run(arguments);
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {complaints}");
    output.stdout
}

fn json_of(place: &Place, arguments: &[&str]) -> Value {
    serde_json::from_slice(&run(place, arguments)).unwrap()
}
