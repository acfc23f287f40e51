//! jq definitions that the programs of one file share.

use super::reader::{Fields, Reader};
use crate::jq;
use crate::path::is_name;

/// Definitions by name, in the order of the file.
#[derive(Default)]
pub(crate) struct Functions {
    list: Vec<Function>,
}

struct Function {
    name: String,
    text: String,
}

impl Functions {
    /// Reads `functions` of a resource file: `def …;` after `def …;`, each beginning a line.
    pub(crate) fn decode(reader: &mut Reader<'_>, fields: &Fields<'_>, known: &[&str]) -> Self {
        let text = fields.get("functions").and_then(|node| {
            let text = reader.text(node, "`functions`")?;
            // A program that uses none of them shows whether they stand on their own.
            let flaws = jq::check(&format!("{text}\n."), known);
            let sound = flaws.is_empty();
            reader.flaws(node, &text, flaws);
            sound.then_some(text)
        });
        Self { list: text.as_deref().map_or_else(Vec::new, split) }
    }

    /// A program with the definitions it uses in front, and no others, so that it takes the
    /// inputs it really reads.
    pub(crate) fn before(&self, program: &str) -> String {
        let mut needed: Vec<bool> = self.list.iter().map(|_| false).collect();
        let mut texts = vec![program];
        while let Some(text) = texts.pop() {
            for (function, needed) in self.list.iter().zip(&mut needed) {
                if !*needed && mentions(text, &function.name) {
                    *needed = true;
                    texts.push(&function.text);
                }
            }
        }
        let mut whole = String::new();
        for (function, _) in self.list.iter().zip(needed).filter(|(_, needed)| *needed) {
            whole.push_str(&function.text);
            whole.push('\n');
        }
        whole.push_str(program);
        whole
    }
}

fn split(text: &str) -> Vec<Function> {
    let mut list: Vec<Function> = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("def ") {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            let name = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            if is_name(name) {
                list.push(Function { name: name.to_owned(), text: line.to_owned() });
                continue;
            }
        }
        if let Some(function) = list.last_mut()
            && !line.starts_with('#')
        {
            function.text.push('\n');
            function.text.push_str(line);
        }
    }
    list
}

/// Whether a text holds a name as a word of its own.
fn mentions(text: &str, name: &str) -> bool {
    let mut words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_gets_the_definitions_it_uses_and_no_others() {
        let list = split("# why\ndef a: $x;\n# then\ndef b($n): a\n  | $n;\ndef c: $z;");
        let functions = Functions { list };
        assert_eq!(functions.before("b(1)"), "def a: $x;\ndef b($n): a\n  | $n;\nb(1)");
        assert_eq!(functions.before(".abc"), ".abc");
    }
}
