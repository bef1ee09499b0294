//! For whom a call is made. A worker that has worked for one workbench never works for another: a file that has taken
//! it over could read or change what the other one gives it.

use std::future::Future;

tokio::task_local! {
    static WORKBENCH: String;
}

/// Runs work for a workbench. What is done outside of such work shares its workers with nothing.
pub async fn for_workbench<F: Future>(workbench: &str, work: F) -> F::Output {
    WORKBENCH.scope(workbench.to_owned(), work).await
}

/// The workbench that the current task works for.
pub fn current_workbench() -> Option<String> {
    WORKBENCH.try_with(Clone::clone).ok()
}
