//! End-to-end tests: one file per behaviour.

#[cfg(test)]
mod client_config;
#[cfg(test)]
mod clients;
#[cfg(test)]
mod command_line;
#[cfg(test)]
mod configuration;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod demo;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod kill_nine;
#[cfg(test)]
mod own_types;
#[cfg(test)]
mod proxy;
#[cfg(test)]
mod real_upstreams;
#[cfg(test)]
mod report;
#[cfg(test)]
mod report_page;
#[cfg(test)]
mod sandbox;
#[cfg(test)]
mod stdio;
