//! Tests of the remote backends: a real kernel gateway, and stand-ins for the services that check what they are asked.

mod blaxel;
mod docker;
mod e2b;
mod gateway;
mod kernel;
mod modal;
mod routing;
mod stand_in;
mod tree;

/// Drives a future to its end.
fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(future)
}
