//! The sandbox over real sockets.

mod access;
mod audit;
mod client;
mod entities;
mod faults;
mod files;
mod freezes;
mod generic;
mod lists;
mod locking;
mod persistence;
mod pipelines;
mod random;
mod scopes;
mod templates;
mod validation;
