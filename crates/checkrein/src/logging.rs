//! Logs go to standard error, whatever happens: standard output belongs to the protocol.

use checkrein_settings::LogLevel;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Starts logging; a second call changes nothing.
pub(crate) fn start(level: LogLevel) {
    let level = match level {
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Error => LevelFilter::ERROR,
    };
    // Libraries log whole messages from `info` on, and those carry what users send.
    let targets = Targets::new().with_target("checkrein", level).with_default(LevelFilter::ERROR);
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_target(false)
        .with_ansi(false);
    drop(tracing_subscriber::registry().with(lines).with(targets).try_init());
}
