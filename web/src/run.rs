//! What is asked of servers: connecting, listing, getting an entry, reading files.

mod connect;
mod read;

pub(crate) use connect::{Credentials, connect, list_again};
pub(crate) use read::{get, open_by_uri, read_file, verify_all};

use skillglass::protocol::{Call, Reply, ReplyLimits};

use crate::browser;
use crate::failure::{Failure, Place};
use crate::state::server::Server;
use crate::transport::{Received, Stop};
use crate::wire::Outcome;

/// Asks a server one question and keeps it on the wire's log.
async fn ask(
    server: Server,
    call: &Call,
    limits: ReplyLimits,
    stop: &Stop,
) -> Result<Reply, Failure> {
    let connection = server.connection();
    let request = connection.client.borrow_mut().request(call).map_err(Failure::Request)?;
    let wire = server.app().wire;
    let number = wire.begin(&server.label(), call, &request);
    let started = browser::clock();
    let received = connection.transport.send(&request, limits, stop).await;
    wire.end(number, outcome(server, &received, browser::clock() - started));
    received?.reply.map_err(Failure::Reply)
}

fn outcome(server: Server, received: &Result<Received, Failure>, ms: u64) -> Outcome {
    match received {
        Ok(received) => {
            let body = match &received.reply {
                Ok(reply) => reply.text.clone(),
                Err(error) => error.excerpt().unwrap_or_default().to_owned(),
            };
            Outcome {
                status: Some(received.status),
                ms,
                bytes: received.bytes,
                content_type: received.content_type.clone(),
                body,
                good: received.reply.is_ok() && received.status < 400,
            }
        }
        Err(failure) => Outcome {
            status: None,
            ms,
            bytes: 0,
            content_type: None,
            body: failure.line(Place { endpoint: &server.endpoint(), origin: &browser::origin() }),
            good: false,
        },
    }
}
