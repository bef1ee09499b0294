//! A progress line on the terminal for work that takes more than a second.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use jig_contract::{Event, EventRecord};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::show::workshop::row;
use crate::terminal::plain;

const PATIENCE: Duration = Duration::from_secs(1);

/// Runs the work. After a second, shows its latest event; clears that line at the end.
pub(crate) async fn during<T>(events: Receiver<EventRecord>, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    tokio::select! {
        done = &mut work => return done,
        () = tokio::time::sleep(PATIENCE) => {}
    }
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(120));
    let done = tokio::select! {
        done = work => done,
        never = show(events, &bar) => match never {},
    };
    bar.finish_and_clear();
    done
}

async fn show(mut events: Receiver<EventRecord>, bar: &ProgressBar) -> std::convert::Infallible {
    loop {
        match events.recv().await {
            Ok(record) => tell(bar, record.event),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

fn tell(bar: &ProgressBar, event: Event) {
    match event {
        Event::Progress { phase, done, total, .. } => {
            if let (Some(done), Some(total)) = (done, total) {
                if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {bar:30} {pos}/{len}") {
                    bar.set_style(style);
                }
                bar.set_length(total);
                bar.set_position(done);
            }
            bar.set_message(phase.replace('_', " "));
        }
        Event::Notice { message } => bar.println(message),
        // The events of an agent are worded like the tree of `jig ask`.
        Event::Session { what, .. } => {
            if let Some(row) = row(&what, false) {
                bar.set_message(plain(&row.text));
            }
        }
        Event::Changed { .. }
        | Event::ContextChanged { .. }
        | Event::EntryChanged { .. }
        | Event::ArtifactChanged { .. }
        | Event::ConversationAdded { .. }
        | Event::JobChanged { .. } => {}
    }
}
