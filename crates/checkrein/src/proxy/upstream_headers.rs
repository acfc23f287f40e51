//! `--upstream-header` and `--upstream-header-env`. No message holds a value, nor what may be one.

use checkrein_chaos::http::Address;

use crate::failure::Failure;

/// The address with these fields on each request to it.
pub(super) fn add(
    mut address: Address,
    given: &[String],
    from_variables: &[String],
) -> Result<Address, Failure> {
    for (at, field) in given.iter().enumerate() {
        let Some((name, value)) = field.split_once(':') else {
            // It may be a token whose name was forgotten.
            return Err(wrong("--upstream-header", at, "it has no `:` between name and value")
                .hint("write it as 'Name: value'"));
        };
        address.add_header(name, value).map_err(|why| wrong("--upstream-header", at, &why))?;
    }
    for (at, field) in from_variables.iter().enumerate() {
        let flag = "--upstream-header-env";
        let Some((name, variable)) = field.split_once('=').filter(|(_, it)| is_name(it)) else {
            return Err(wrong(flag, at, "it names no variable").hint("write it as NAME=VARIABLE"));
        };
        let value = std::env::var(variable).map_err(|error| {
            let why = match error {
                std::env::VarError::NotPresent => "is not set",
                std::env::VarError::NotUnicode(_) => "is no text",
            };
            wrong(flag, at, &format!("the variable `{variable}` {why}"))
        })?;
        address.add_header(name, &value).map_err(|why| wrong(flag, at, &why))?;
    }
    Ok(address)
}

fn wrong(flag: &str, at: usize, why: &str) -> Failure {
    Failure::new(format!("{flag} number {} is wrong: {why}", at + 1))
}

/// Whether it may name a variable; a secret in its place mostly does not.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
