//! What a session runs its programs in: the sandbox alone, or a router that takes some of them to a remote backend.
//!
//! This is the one place that tells the two apart. What only the sandbox has (files, saving, the log) is asked of it by [`Runner::sandbox`].

use std::sync::Arc;

use coldframe::backend::{Backend, Router};
use coldframe::{CancelHandle, Outcome, RunOptions, Session, Tools, Value, Variable};

use crate::errors::Failure;
use crate::remote::Plan;

/// See [the module](self).
#[allow(
    clippy::large_enum_variant,
    reason = "nearly all are of the larger kind"
)]
pub(crate) enum Runner {
    /// The sandbox alone.
    Sandbox(Session),
    /// A router around it, and what it was made by.
    Routed(Box<Router>, Arc<Plan>),
}

impl Runner {
    /// the runner of a session that was opened; nothing remote is started yet.
    pub(crate) fn new(session: Session, plan: Option<Arc<Plan>>) -> Result<Runner, Failure> {
        Ok(match plan {
            None => Runner::Sandbox(session),
            Some(plan) => {
                let router = plan.router(session)?;
                Runner::Routed(Box::new(router), plan)
            }
        })
    }

    /// The sandbox, which is always there.
    pub(crate) fn sandbox(&self) -> &Session {
        match self {
            Runner::Sandbox(session) => session,
            Runner::Routed(router, _) => router.local(),
        }
    }

    /// The sandbox, for what only it has.
    pub(crate) fn sandbox_mut(&mut self) -> &mut Session {
        match self {
            Runner::Sandbox(session) => session,
            Runner::Routed(router, _) => router.local_mut(),
        }
    }

    /// The handle that ends what is under way, wherever that is.
    pub(crate) fn cancel_handle(&self) -> CancelHandle {
        self.sandbox().cancel_handle()
    }

    /// Whether something was made elsewhere, which has to be removed.
    pub(crate) fn has_remote(&self) -> bool {
        match self {
            Runner::Sandbox(_) => false,
            Runner::Routed(router, _) => router.has_remote(),
        }
    }

    pub(crate) async fn run(
        &mut self,
        source: &str,
        options: RunOptions,
    ) -> Result<Outcome, Failure> {
        Ok(match self {
            Runner::Sandbox(session) => session.run_with(source, options).await?,
            Runner::Routed(router, _) => router.run(source, options).await?,
        })
    }

    pub(crate) async fn set_variables(
        &mut self,
        variables: &[(String, Value)],
    ) -> Result<(), Failure> {
        match self {
            Runner::Sandbox(session) => {
                for (name, value) in variables {
                    session.set_variable(name, value).await?;
                }
            }
            Runner::Routed(router, _) => router.set_variables(variables).await?,
        }
        Ok(())
    }

    pub(crate) async fn get_variable(&mut self, name: &str) -> Result<Option<Value>, Failure> {
        Ok(match self {
            Runner::Sandbox(session) => session.get_variable(name).await?,
            Runner::Routed(router, _) => router.get_variable(name).await?,
        })
    }

    pub(crate) async fn list_variables(&mut self, limit: u32) -> Result<Vec<Variable>, Failure> {
        Ok(match self {
            Runner::Sandbox(session) => session.list_variables(limit).await?,
            Runner::Routed(router, _) => router.list_variables(limit).await?,
        })
    }

    pub(crate) async fn set_tools(&mut self, tools: &Tools) -> Result<(), Failure> {
        match self {
            Runner::Sandbox(session) => session.set_tools(tools).await?,
            Runner::Routed(router, _) => router.set_tools(tools).await?,
        }
        Ok(())
    }

    pub(crate) async fn reset(&mut self) -> Result<(), Failure> {
        match self {
            Runner::Sandbox(session) => session.reset().await?,
            Runner::Routed(router, _) => router.reset().await?,
        }
        Ok(())
    }

    /// A copy of the sandbox, with a remote backend of its own when it needs one.
    pub(crate) async fn fork(&mut self) -> Result<Runner, Failure> {
        let fork = self.sandbox_mut().fork().await?;
        match self {
            Runner::Sandbox(_) => Runner::new(fork, None),
            Runner::Routed(router, plan) => {
                let plan = plan.clone();
                let mut fork = plan.router(fork)?;
                // The sandbox has its tools from the copy; a remote backend is told of them by the router.
                if let Some(tools) = router.tools() {
                    fork.set_tools(tools).await?;
                }
                Ok(Runner::Routed(Box::new(fork), plan))
            }
        }
    }

    /// Gives all of it up.
    pub(crate) async fn close(self) -> Result<(), Failure> {
        match self {
            Runner::Sandbox(_) => Ok(()),
            Runner::Routed(mut router, _) => Ok(router.cleanup().await?),
        }
    }
}
