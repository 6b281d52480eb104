//! How far a run over files is.

use leptos::prelude::*;

use crate::state::pace::Run;

/// How far a run over files is. Only ends of lines change their length, so that nothing moves.
#[component]
pub(crate) fn RunProgress(
    /// The run.
    run: Run,
) -> impl IntoView {
    view! {
        <div class="progress">
            <progress max=run.total.to_string() value=run.done.to_string() aria-label="Files read"></progress>
            <span class="progress-line"><span>{run.so_far()}</span> <span>{run.pace()}</span></span>
        </div>
    }
}
