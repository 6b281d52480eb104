//! Sees when something in the folder changes, and has it read again once that has come to rest.

use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc;

use super::Shelf;
use crate::terminal::Terminal;

/// How long nothing must have changed before the folder is read again, and how long that is waited for.
const REST: Duration = Duration::from_millis(150);
const RESTLESS: Duration = Duration::from_secs(2);

/// Watches for as long as it lives.
pub(crate) type Watch = RecommendedWatcher;

/// Watches a folder; none where the system does not let it.
pub(crate) fn begin(shelf: &Shelf, terminal: &Terminal) -> Option<Watch> {
    let (changed, changes) = mpsc::channel(1);
    let notice = move |event: notify::Result<Event>| {
        if event.is_ok_and(|event| is_change(event.kind)) {
            // One that waits to be seen stands for all.
            let _ = changed.try_send(());
        }
    };
    let watcher = notify::recommended_watcher(notice).and_then(|mut watcher| {
        watcher.watch(&shelf.settings.folder, RecursiveMode::Recursive)?;
        Ok(watcher)
    });
    match watcher {
        Ok(watcher) => {
            tokio::spawn(follow(changes, shelf.clone()));
            Some(watcher)
        }
        Err(error) => {
            terminal
                .note(format!("Changes are not noticed, since the system does not tell: {error}"));
            None
        }
    }
}

/// Reading a file is none, and reading is what comes of a change.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}

async fn follow(mut changes: mpsc::Receiver<()>, shelf: Shelf) {
    while changes.recv().await.is_some() {
        let begin = Instant::now();
        while begin.elapsed() < RESTLESS
            && tokio::time::timeout(REST, changes.recv()).await.is_ok_and(|more| more.is_some())
        {
        }
        let shelf = shelf.clone();
        // It ends with a note, whatever it finds.
        let _ = tokio::task::spawn_blocking(move || shelf.refill()).await;
    }
}
