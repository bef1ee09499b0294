//! Starting the doors for programs and agents. Nothing but their protocol goes to standard output.

use clap::ArgMatches;
use jig_contract::{Code, OpError};
use jig_surfaces::mcp::{self, McpOptions};
use jig_surfaces::rpc::{self, RpcOptions};

use crate::app::App;
use crate::install;
use crate::stop::Stop;

/// `jig rpc`.
pub(crate) fn rpc(app: &App) -> Result<(), Stop> {
    let max = usize::try_from(app.settings.rpc_max_message_bytes).unwrap_or(usize::MAX);
    let options = RpcOptions { max_message_bytes: max, ..RpcOptions::default() };
    let lazy = app.lazy();
    many(async move { rpc::serve(lazy, tokio::io::stdin(), tokio::io::stdout(), options).await })
}

/// `jig mcp`, or writing a client's configuration for it.
pub(crate) fn mcp(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    if let Some(client) = matches.get_one::<String>("install") {
        return install::run(app, client, matches.get_flag("yes"));
    }
    let options = McpOptions {
        workbench: app.settings.workbench.clone(),
        allow_publish: app.settings.mcp_allow_publish || matches.get_flag("allow-publish"),
        max_resource_bytes: app.settings.rpc_max_message_bytes,
        ..McpOptions::new(app.env.clone())
    };
    let lazy = app.lazy();
    many(async move {
        let (input, output) = mcp::stdio();
        mcp::serve(lazy, input, output, options).await
    })
}

/// Serves with several threads. Ends at once when the work does, also while a read still waits.
fn many(work: impl Future<Output = std::io::Result<()>>) -> Result<(), Stop> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build()?;
    let done = runtime.block_on(work);
    runtime.shutdown_background();
    done.map_err(|error| match error.kind() {
        std::io::ErrorKind::BrokenPipe => Stop::NobodyReads,
        _ => OpError::new(Code::FileReadFailed, format!("the connection broke: {error}")).into(),
    })
}
