//! The folder's server over standard input and output: a message on each line.

use tokio::io::AsyncWriteExt as _;

use super::Shelf;
use crate::Outcome;
use crate::failure::Failure;
use crate::listen::MAX_MESSAGE;
use crate::transport::Lines;

/// Answers until the input ends.
pub(super) async fn serve(shelf: &Shelf) -> Result<Outcome, Failure> {
    let mut lines = Lines::new(tokio::io::stdin());
    let mut output = tokio::io::stdout();
    while let Some(line) = lines.next(|_| MAX_MESSAGE).await {
        let line = String::from_utf8_lossy(&line);
        if line.trim().is_empty() {
            continue;
        }
        if let Some(answer) = shelf.server().answer_line(&line) {
            let answer = format!("{answer}\n");
            let written = async {
                output.write_all(answer.as_bytes()).await?;
                output.flush().await
            };
            written.await.map_err(Failure::Output)?;
        }
    }
    Ok(Outcome::Clean)
}
