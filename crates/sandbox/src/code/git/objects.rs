//! Object ids, exactly as git computes them.

use sha1::{Digest as _, Sha1};

/// Who did something, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signature {
    /// Full name.
    pub(crate) name: String,
    /// Mail address.
    pub(crate) email: String,
    /// Epoch milliseconds; git keeps whole seconds.
    pub(crate) when_ms: i64,
}

/// What a commit id is made of.
#[derive(Debug, Clone)]
pub(crate) struct CommitParts<'a> {
    /// Id of its tree.
    pub(crate) tree: &'a str,
    /// Ids of its parents.
    pub(crate) parents: &'a [String],
    /// Its author.
    pub(crate) author: &'a Signature,
    /// Who put it there.
    pub(crate) committer: &'a Signature,
    /// Title, and after a blank line the message.
    pub(crate) message: &'a str,
}

fn object_id(kind: &str, content: &[u8]) -> String {
    let mut digest = Sha1::new();
    digest.update(format!("{kind} {}\0", content.len()));
    digest.update(content);
    hex(&digest.finalize())
}

/// Lower case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The id of a file's content.
pub(crate) fn blob_id(content: &[u8]) -> String {
    object_id("blob", content)
}

/// The id of a directory from its entries: name, whether it is a directory, id.
pub(crate) fn tree_id(entries: &[(String, bool, String)]) -> String {
    let mut sorted: Vec<&(String, bool, String)> = entries.iter().collect();
    // Git sorts a directory as if its name ended with a slash.
    sorted.sort_by_key(|(name, is_dir, _)| if *is_dir { format!("{name}/") } else { name.clone() });
    let mut content = Vec::new();
    for (name, is_dir, id) in sorted {
        let mode = if *is_dir { "40000" } else { "100644" };
        content.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        content.extend(unhex(id));
    }
    object_id("tree", &content)
}

fn unhex(id: &str) -> Vec<u8> {
    let pairs = id.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.filter_map(byte).collect()
}

/// The id of a commit.
pub(crate) fn commit_id(parts: &CommitParts<'_>) -> String {
    let mut text = format!("tree {}\n", parts.tree);
    for parent in parts.parents {
        text.push_str(&format!("parent {parent}\n"));
    }
    for (role, who) in [("author", parts.author), ("committer", parts.committer)] {
        let seconds = who.when_ms.div_euclid(1000);
        text.push_str(&format!("{role} {} <{}> {seconds} +0000\n", who.name, who.email));
    }
    text.push_str(&format!("\n{}\n", parts.message.trim_end()));
    object_id("commit", text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{CommitParts, Signature, blob_id, commit_id, tree_id};

    #[test]
    fn ids_are_those_of_git() {
        // `printf 'hello\n' | git hash-object --stdin`, and the tree and commit made of it.
        let blob = blob_id(b"hello\n");
        assert_eq!(blob, "ce013625030ba8dba906f756967f9e9ca394464a");
        let tree = tree_id(&[("hello.txt".to_owned(), false, blob)]);
        assert_eq!(tree, "aaa96ced2d9a1c8e72c56b253a0e2fe78393feb7");
        let ann = Signature {
            name: "Ann".to_owned(),
            email: "ann@example.com".to_owned(),
            when_ms: 1_700_000_000_000,
        };
        let id = commit_id(&CommitParts {
            tree: &tree,
            parents: &[],
            author: &ann,
            committer: &ann,
            message: "First",
        });
        assert_eq!(id.len(), 40);
        assert_eq!(id, COMMIT_OF_GIT);
    }

    const COMMIT_OF_GIT: &str = "d8659fa63f92fcab242a78469be7d03457eb9d7a";
}
