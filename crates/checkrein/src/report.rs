//! `checkrein report`: what a run came to, for people and for CI.

use std::path::PathBuf;

use checkrein_report::{Format, RenderingError};
use clap::Args;
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};

use crate::failure::Failure;
use crate::proxy::FailOn;
use crate::terminal::{complain, say};

/// Shows a report, or makes it anew from the directory of a run.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The report that `proxy` wrote, or the directory of its run
    #[arg(value_name = "FILE", value_parser = path_parser())]
    file: PathBuf,
    /// The form [default: by the name of --out, else text]
    #[arg(long, value_parser = format_parser())]
    format: Option<Format>,
    /// Write it here; replaces an earlier rendering and nothing else
    #[arg(long, value_name = "FILE", value_parser = path_parser())]
    out: Option<PathBuf>,
    /// Exit with 3 when the run ended like this
    #[arg(long, value_enum, value_name = "VERDICT")]
    fail_on: Option<FailOn>,
}

fn path_parser() -> impl TypedValueParser<Value = PathBuf> {
    NonEmptyStringValueParser::new().map(PathBuf::from)
}

fn format_parser() -> impl TypedValueParser<Value = Format> {
    let named = |name: String| Format::ALL.into_iter().find(|format| format.name() == name);
    PossibleValuesParser::new(Format::ALL.map(Format::name))
        .map(move |name| named(name).unwrap_or(Format::Text))
}

/// Renders, and says by its exit status what `--fail-on` asks for.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let format = format(arguments)?;
    let document = checkrein_report::read(&arguments.file).map_err(Failure::new)?;
    let text = format.render(&document);
    match &arguments.out {
        None => say(text.trim_end()),
        Some(out) => {
            checkrein_report::save(&text, out, &arguments.file).map_err(refusal)?;
            complain(&format!("wrote `{}`", out.display()));
        }
    }
    match arguments.fail_on {
        Some(limit) if limit.is_reached(document.verdict) => {
            let codes: Vec<_> = document.reasons.iter().map(|it| it.code.name()).collect();
            Err(Failure::verdict(format!("{} {}", document.verdict.name(), codes.join(" "))))
        }
        _ => Ok(()),
    }
}

/// The form that was asked for, or that the name of the file asks for.
fn format(arguments: &Arguments) -> Result<Format, Failure> {
    let Some(out) = arguments.out.as_deref() else {
        return Ok(arguments.format.unwrap_or(Format::Text));
    };
    match (arguments.format, Format::of_file(out)) {
        (Some(asked), Some(named)) if asked != named => Err(Failure::usage(format!(
            "`{}` is named for `{}`, and --format says `{}`",
            out.display(),
            named.name(),
            asked.name()
        ))),
        (Some(format), _) | (None, Some(format)) => Ok(format),
        (None, None) => Err(Failure::usage(format!(
            "the name of `{}` does not say in which form it is to be",
            out.display()
        ))
        .hint("end it in .txt, .md, .html, .xml or .json, or give --format")),
    }
}

/// A place that must not be written to is a mistake in the command line.
fn refusal(error: RenderingError) -> Failure {
    match error {
        RenderingError::Io { .. } => Failure::new(error),
        _ => Failure::usage(error),
    }
}
