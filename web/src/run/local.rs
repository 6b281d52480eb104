//! Skills of the user's own machine, shown as a server inside of this page serves them.

use leptos::prelude::Set as _;
use skillglass::server::File;
use web_sys::{FileList, FileSystemEntry};

use super::connect::open_inside;
use crate::local::{self, LocalError};
use crate::state::App;
use crate::state::local::Local;

/// Shows the skills among the files that were chosen in a form.
pub(crate) async fn take_chosen(app: App, files: FileList) {
    app.local.set(Local::Reading);
    let name = local::name_of_chosen(&files);
    show(app, &name, local::chosen(files).await);
}

/// Shows the skills among what was dropped.
pub(crate) async fn take_dropped(app: App, entries: Vec<FileSystemEntry>) {
    app.local.set(Local::Reading);
    let name = local::name_of_dropped(&entries);
    show(app, &name, local::skills_of(entries).await);
}

fn show(app: App, name: &str, skills: Result<Vec<File>, LocalError>) {
    match skills {
        Ok(files) => {
            app.local.set(Local::Idle);
            open_inside(app, name, local::server(name, files));
        }
        Err(error) => {
            app.say(error.to_string());
            app.local.set(Local::Problem(error.to_string()));
        }
    }
}
