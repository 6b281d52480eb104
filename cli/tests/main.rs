//! The built program, as its users run it: against servers in this process, programs, and folders.

mod check;
mod get;
mod http;
mod inspect;
mod listening;
mod program;
mod run;
mod serve;
mod server;
mod verify;
