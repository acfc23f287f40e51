//! Where an entity lives: the account, an organization of it, or a project of that.

/// A scope; empty strings mean "above that level".
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Scope {
    /// Organization, or empty at account level.
    pub org: String,
    /// Project, or empty above project level.
    pub project: String,
}

impl Scope {
    /// The account itself.
    pub fn account() -> Self {
        Self::default()
    }

    /// One organization.
    pub fn organization(org: &str) -> Self {
        Self { org: org.to_owned(), project: String::new() }
    }

    /// One project.
    pub fn project(org: &str, project: &str) -> Self {
        Self { org: org.to_owned(), project: project.to_owned() }
    }

    /// `account`, `organization` or `project`.
    pub fn level(&self) -> &'static str {
        match (self.org.is_empty(), self.project.is_empty()) {
            (true, _) => "account",
            (false, true) => "organization",
            (false, false) => "project",
        }
    }

    /// The scopes above this one, nearest first.
    pub fn above(&self) -> Vec<Self> {
        match self.level() {
            "project" => vec![Self::organization(&self.org), Self::account()],
            "organization" => vec![Self::account()],
            _ => Vec::new(),
        }
    }

    /// The scope a reference points into, and the identifier left of it: `account.x`, `org.x`, `x`.
    pub fn of_reference<'a>(&self, reference: &'a str) -> (Self, &'a str) {
        if let Some(id) = reference.strip_prefix("account.") {
            return (Self::account(), id);
        }
        if let Some(id) = reference.strip_prefix("org.") {
            return (Self::organization(&self.org), id);
        }
        (self.clone(), reference)
    }
}

#[cfg(test)]
mod tests {
    use super::Scope;

    #[test]
    fn a_prefix_lifts_a_reference_to_its_scope() {
        let here = Scope::project("o", "p");
        assert_eq!(here.of_reference("account.git"), (Scope::account(), "git"));
        assert_eq!(here.of_reference("org.git"), (Scope::organization("o"), "git"));
        assert_eq!(here.of_reference("git"), (here.clone(), "git"));
        assert_eq!(here.level(), "project");
    }
}
