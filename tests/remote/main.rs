//! Tests of the remote backends: a real kernel gateway, and stand-ins for the services that check what they are asked.

mod blaxel;
mod command;
mod docker;
mod e2b;
mod gateway;
mod kernel;
mod modal;
mod routing;
mod stand_in;
mod tree;

/// Waits until something is so, however long it takes.
async fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

/// Drives a future to its end.
fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(future)
}
