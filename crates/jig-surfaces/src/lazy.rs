//! A workbench that is opened on first use.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use jig_contract::OpError;
use jig_workbench::Workbench;
use tokio::sync::OnceCell;

type Opening = Pin<Box<dyn Future<Output = Result<Workbench, OpError>> + Send>>;

/// Opens the workbench on first use, so that an interface can answer the handshake before anything slow.
///
/// If opening fails, that call gets the error and the next one tries again.
#[derive(Clone)]
pub struct LazyWorkbench(Arc<Inner>);

struct Inner {
    open: Box<dyn Fn() -> Opening + Send + Sync>,
    opened: OnceCell<Workbench>,
}

impl LazyWorkbench {
    /// Uses `open` to open the workbench.
    pub fn new<F>(open: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Workbench, OpError>> + Send + 'static,
    {
        let open = Box::new(move || -> Opening { Box::pin(open()) });
        Self(Arc::new(Inner { open, opened: OnceCell::new() }))
    }

    /// The workbench, opened if necessary.
    pub async fn get(&self) -> Result<&Workbench, OpError> {
        self.0.opened.get_or_try_init(|| (self.0.open)()).await
    }
}

impl From<Workbench> for LazyWorkbench {
    fn from(workbench: Workbench) -> Self {
        Self::new(move || std::future::ready(Ok(workbench.clone())))
    }
}
