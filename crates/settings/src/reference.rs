//! The reference page of all settings.

use crate::setting::{Effect, Group, Kind, Setting};
use crate::table::ALL;

/// The page, as Markdown.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Settings of `checkrein serve`\n\n\
         A flag wins over its variable, a variable of the environment over one in `--env-file` \
         (or `.env` in the working directory). An empty value counts as not set.\n",
    );
    for group in Group::ALL {
        page.push_str(&format!("\n## {}\n\n", group.title()));
        page.push_str("| Variable | Flag | Accepts | Default | |\n|---|---|---|---|---|\n");
        for setting in ALL.iter().filter(|setting| setting.group == group) {
            page.push_str(&row(setting));
        }
    }
    page
}

fn row(setting: &Setting) -> String {
    let flag = setting.flag.map(|flag| format!("`--{flag}`")).unwrap_or_default();
    let default = setting.default.map(|value| format!("`{value}`")).unwrap_or_default();
    let about = setting.about;
    let effect = effect(setting);
    let variable = setting.variable;
    format!(
        "| `{variable}` | {flag} | {} | {default} | {about}{effect} |\n",
        accepts(&setting.kind)
    )
}

fn accepts(kind: &Kind) -> String {
    match kind {
        Kind::Text => "text".to_owned(),
        Kind::Secret => "a secret".to_owned(),
        Kind::Switch => "`true`, `1`, `yes` or anything else for no".to_owned(),
        Kind::Number(limits) => {
            let sort = if limits.whole { "a whole number" } else { "a number" };
            format!("{sort} from {} to {}", limits.least, limits.most)
        }
        Kind::Url => "an `https` address".to_owned(),
        Kind::OneOf { words, .. } => {
            words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        }
        Kind::Hosts => "host names".to_owned(),
        Kind::Port => "a port".to_owned(),
        Kind::Directories => "directories".to_owned(),
    }
}

fn effect(setting: &Setting) -> String {
    match setting.effect {
        Effect::Works => String::new(),
        Effect::HttpOnly => " Concerns only HTTP, which this version does not serve.".to_owned(),
        Effect::None(why) => format!(" No effect yet: {why}."),
        Effect::Refused(why) => format!(" Refused when set: {why}."),
        Effect::OldNameOf(new) => format!(" Deprecated name of `{new}`."),
    }
}
