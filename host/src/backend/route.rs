//! Chooses for each program where it runs: in the sandbox, or on a remote backend if it imports what the sandbox has not.
//!
//! The variables of a session go with the program and come back: those whose values can cross, and that have changed. Others stay where they are and are
//! named; a program that mentions one that is only there runs there. This module knows no protocol.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;

use super::{Backend, BackendError, Changes, Launcher, LeftBehind, Marks, Pending, Place};
use crate::error::{Error, ErrorKind, RunError};

use crate::output::Output;
use crate::policy::Policy;
use crate::session::{Import, Outcome, RunOptions, Session, Usage, Variable};
use crate::stop::CancelHandle;
use crate::tool::Tools;
use crate::value::Value;

/// What becomes of a program that imports a module which the sandbox has not, and which no list names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// It runs on the remote backend.
    #[default]
    Remote,
    /// It runs in the sandbox, where the import fails in Python's own way.
    Local,
    /// It does not run.
    Refuse,
}

/// Which programs run where.
///
/// The session's [`Policy`](crate::Policy) is asked too: no program that imports what it refuses goes to a remote backend, unless the module is listed here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routing {
    remote: Vec<String>,
    refused: Vec<String>,
    missing: Missing,
    always: bool,
    packages: Vec<String>,
}

impl Routing {
    /// Modules that take a program to the remote backend, each with all below it, whether the sandbox has them or not.
    pub fn remote<S: Into<String>>(mut self, modules: impl IntoIterator<Item = S>) -> Self {
        self.remote.extend(modules.into_iter().map(Into::into));
        self
    }

    /// Modules that keep a program from running at all, each with all below it.
    pub fn refused<S: Into<String>>(mut self, modules: impl IntoIterator<Item = S>) -> Self {
        self.refused.extend(modules.into_iter().map(Into::into));
        self
    }

    /// What becomes of programs that import other modules which the sandbox has not; they run on the remote backend if not set.
    pub fn missing(mut self, missing: Missing) -> Self {
        self.missing = missing;
        self
    }

    /// Whether all programs run on the remote backend, but for those that are refused: the sandbox keeps the variables that came back, and no program runs in it.
    pub fn always(mut self, always: bool) -> Self {
        self.always = always;
        self
    }

    /// Packages that are installed on the remote backend when it starts.
    pub fn packages<S: Into<String>>(mut self, packages: impl IntoIterator<Item = S>) -> Self {
        self.packages.extend(packages.into_iter().map(Into::into));
        self
    }
}

impl FromStr for Missing {
    type Err = String;

    /// `remote`, `local` or `refuse`.
    fn from_str(name: &str) -> Result<Missing, String> {
        match name {
            "remote" => Ok(Missing::Remote),
            "local" => Ok(Missing::Local),
            "refuse" => Ok(Missing::Refuse),
            _ => Err(format!(
                "{name:?} is none of remote, local and refuse, which is what becomes of a program that imports what the sandbox has not"
            )),
        }
    }
}

/// Where a program is to run, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// In the sandbox.
    Local,
    /// On the remote backend.
    Remote {
        /// What it needs there.
        reason: String,
    },
    /// Nowhere.
    Refuse {
        /// Why not.
        reason: String,
        /// The line of the import.
        line: Option<u32>,
    },
}

/// A session that runs each program where it can run; see [`Routing`]. The remote backend is started when the first program needs it.
///
/// ```no_run
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # #[cfg(feature = "jupyter")] {
/// use coldframe::backend::{Backend, Place, Router, Routing, jupyter::Jupyter};
/// use coldframe::{Engine, Limits, RunOptions};
///
/// let session = Engine::new()?.session(&Limits::default()).await?;
/// let mut router = Router::new(session, Routing::default()).with_remote(Jupyter::new("http://127.0.0.1:8888"));
/// router.run("data = [3, 1, 2]", RunOptions::default()).await?; // in the sandbox
/// let outcome = router.run("import numpy\ndata = numpy.sort(data).tolist()", RunOptions::default()).await?;
/// assert_eq!(outcome.place, Place::Jupyter);
/// let outcome = router.run("data", RunOptions::default()).await?; // in the sandbox again
/// assert_eq!(outcome.value.unwrap().repr, "[1, 2, 3]");
/// router.cleanup().await?;
/// # }
/// # Ok::<(), coldframe::backend::BackendError>(())
/// # }).unwrap();
/// ```
pub struct Router {
    local: Session,
    launcher: Option<Box<dyn Launcher>>,
    remote: Option<Box<dyn Backend>>,
    routing: Routing,
    tools: Option<Tools>,
    /// The variables that both sides have, as each of them marks them.
    local_marks: Marks,
    remote_marks: Marks,
    /// Names that are bound on the remote side only.
    remote_names: HashSet<String>,
    /// Whether the sandbox has a module, by its first name.
    known: HashMap<String, bool>,
}

impl Router {
    /// A router that has no remote backend yet.
    pub fn new(session: Session, routing: Routing) -> Router {
        Router {
            local: session,
            launcher: None,
            remote: None,
            routing,
            tools: None,
            local_marks: Marks::new(),
            remote_marks: Marks::new(),
            remote_names: HashSet::new(),
            known: HashMap::new(),
        }
    }

    /// Takes programs that need it to a backend of this launcher's.
    pub fn with_remote(mut self, launcher: impl Launcher + 'static) -> Self {
        self.launcher = Some(Box::new(launcher));
        self
    }

    /// The same for a launcher that was chosen at run time.
    pub fn with_boxed_remote(mut self, launcher: Box<dyn Launcher>) -> Self {
        self.launcher = Some(launcher);
        self
    }

    /// The sandbox.
    pub fn local(&self) -> &Session {
        &self.local
    }

    /// The sandbox, for what the router does not offer, such as files. They stay in it.
    pub fn local_mut(&mut self) -> &mut Session {
        &mut self.local
    }

    /// Makes the session a fresh one. The remote backend is given up; another is started when a program needs it.
    pub async fn reset(&mut self) -> Result<(), BackendError> {
        self.local.reset().await?;
        self.forget_remote();
        match self.remote.take() {
            Some(mut remote) => remote.cleanup().await,
            None => Ok(()),
        }
    }

    /// The tools that were defined here, if any were.
    pub fn tools(&self) -> Option<&Tools> {
        self.tools.as_ref()
    }

    /// Whether there is a remote backend now.
    pub fn has_remote(&self) -> bool {
        self.remote.is_some()
    }

    /// Where a program would run. It is not run; its imports are listed, also those inside of functions.
    pub async fn route(&mut self, source: &str) -> Result<Route, BackendError> {
        self.route_of(source, true).await
    }

    /// `awaits`: whether the program may await outside of functions.
    async fn route_of(&mut self, source: &str, awaits: bool) -> Result<Route, BackendError> {
        let mut listed = self.local.list_imports(source).await;
        if awaits && matches!(listed, Err(Error::Run(_))) {
            listed = self.local.list_imports(&as_coroutine(source)).await;
            for import in listed.iter_mut().flatten() {
                import.line = import.line.saturating_sub(1);
            }
        }
        let imports = match listed {
            Ok(imports) => imports,
            // The sandbox tells best what is wrong with it.
            Err(Error::Run(_)) if self.routing.always => return Ok(self.always()),
            Err(Error::Run(_)) => return Ok(Route::Local),
            Err(error) => return Err(error.into()),
        };
        // Relative ones are the session's own.
        let imports: Vec<_> = imports
            .into_iter()
            .filter(|import| !import.module.starts_with('.') && !import.module.is_empty())
            .collect();
        for import in &imports {
            if covers(&self.routing.refused, &import.module) {
                return Ok(Route::Refuse {
                    reason: format!("no program may import {} here", import.module),
                    line: Some(import.line),
                });
            }
        }
        if self.routing.always {
            let policy = self.local.policy();
            return Ok(match refused_by(policy, &self.routing, &imports) {
                Some(import) => Route::Refuse {
                    reason: format!("the policy does not allow to import {}", import.module),
                    line: Some(import.line),
                },
                None => self.always(),
            });
        }
        let mut need = None;
        for import in &imports {
            if covers(&self.routing.remote, &import.module) {
                need = Some((import.module.clone(), Some(import.line)));
                break;
            }
            // What the policy refuses is told by the sandbox, in its words.
            if self.routing.missing == Missing::Local
                || !self.local.policy().allows_import(&import.module)
                || self.has_module(&import.module).await?
            {
                continue;
            }
            if self.routing.missing == Missing::Refuse {
                return Ok(Route::Refuse {
                    reason: format!("the sandbox has no module {}", import.module),
                    line: Some(import.line),
                });
            }
            need = need.or(Some((import.module.clone(), Some(import.line))));
        }
        if need.is_none() {
            need = mentioned(source, &self.remote_names).map(|name| (name.to_owned(), None));
        }
        let Some((what, line)) = need else {
            return Ok(Route::Local);
        };
        let Some(launcher) = &self.launcher else {
            return Ok(match self.routing.missing {
                // As if there was no router.
                Missing::Remote if !covers(&self.routing.remote, &what) => Route::Local,
                _ => Route::Refuse {
                    reason: format!("{what} needs a remote backend, and none is configured"),
                    line,
                },
            });
        };
        if let Some(import) = refused_by(self.local.policy(), &self.routing, &imports) {
            return Ok(Route::Refuse {
                reason: format!(
                    "{what} would take the program to {}, but the policy does not allow it to import {}",
                    launcher.place(),
                    import.module
                ),
                line: Some(import.line),
            });
        }
        Ok(Route::Remote {
            reason: match line {
                Some(line) => format!("line {line} imports {what}"),
                None => format!("{what} is there"),
            },
        })
    }

    /// Where all programs are to run.
    fn always(&self) -> Route {
        match &self.launcher {
            Some(_) => Route::Remote {
                reason: "all programs run there".to_owned(),
            },
            None => Route::Refuse {
                reason: "all programs are to run on a remote backend, and none is configured"
                    .to_owned(),
                line: None,
            },
        }
    }

    /// Whether the sandbox has a module of its own or among its files, as far as its first name tells.
    async fn has_module(&mut self, module: &str) -> Result<bool, BackendError> {
        let name = module.split('.').next().unwrap_or(module);
        let known = match self.known.get(name) {
            Some(known) => *known,
            None => {
                // In a sandbox of its own, in which nothing of the program's has been.
                let engine = self.local.engine().clone();
                let mut session = engine.session(&crate::Limits::default()).await?;
                let source = format!(
                    "try: found = bool(__import__({name:?}))\nexcept Exception: found = False\nfound"
                );
                let outcome = session.run(&source).await?;
                let value = outcome.value.and_then(|last| last.value);
                let known = value == Some(Value::Bool(true));
                self.known.insert(name.to_owned(), known);
                known
            }
        };
        if known {
            return Ok(true);
        }
        let entries = self.local.list_files("").await?;
        Ok(entries.iter().any(|entry| {
            let path = entry.path.trim_start_matches("./");
            path == name || path.strip_suffix(".py") == Some(name)
        }))
    }

    async fn remote(&mut self) -> Result<(), BackendError> {
        if self.remote.is_some() {
            return Ok(());
        }
        let Some(launcher) = &self.launcher else {
            return Err(BackendError::Unsupported {
                place: Place::Local,
                reason: "no remote backend is configured".to_owned(),
            });
        };
        tracing::info!(place = %launcher.place(), "a remote backend is started");
        let mut remote = launcher.launch().await?;
        let prepared = async {
            remote.install(&self.routing.packages).await?;
            if let Some(tools) = &self.tools {
                remote.set_tools(tools).await?;
            }
            Ok(())
        };
        if let Err(error) = prepared.await {
            let _ = remote.cleanup().await;
            return Err(error);
        }
        self.forget_remote();
        self.remote = Some(remote);
        Ok(())
    }

    /// Nothing is known of the remote side's variables any more.
    fn forget_remote(&mut self) {
        self.local_marks.clear();
        self.remote_marks.clear();
        self.remote_names.clear();
    }

    /// Takes the sandbox's variables to the remote side; those that stay.
    async fn take_there(&mut self) -> Result<Vec<LeftBehind>, BackendError> {
        let mut changes = self.local.changes(&self.local_marks).await?;
        self.drop_stale(&mut changes, true);
        let Some(remote) = &mut self.remote else {
            return Ok(changes.stay);
        };
        let mut marks = remote.apply(&changes).await?;
        for (name, mark, _) in changes.changed {
            self.remote_names.remove(&name);
            self.remote_marks
                .insert(name.clone(), marks.remove(&name).unwrap_or_default());
            self.local_marks.insert(name, mark);
        }
        Ok(changes.stay)
    }

    /// Takes the remote side's variables to the sandbox; those that stay there.
    async fn take_back(&mut self) -> Result<Vec<LeftBehind>, BackendError> {
        let Some(remote) = &mut self.remote else {
            return Ok(Vec::new());
        };
        let mut changes = remote.changes(&self.remote_marks).await?;
        self.drop_stale(&mut changes, false);
        // A value that the sandbox does not take stays as well.
        let mut marks = self.local.apply(&changes).await?;
        for (name, mark, _) in changes.changed {
            self.local_marks
                .insert(name.clone(), marks.remove(&name).unwrap_or_default());
            self.remote_marks.insert(name, mark);
        }
        let here = Session::list_variables(&mut self.local, 0).await?;
        let here: HashSet<_> = here.into_iter().map(|variable| variable.name).collect();
        let there = changes.modules.iter().map(|(name, _)| name);
        self.remote_names = there
            .chain(changes.stay.iter().map(|left| &left.name))
            .filter(|name| !here.contains(*name))
            .cloned()
            .collect();
        Ok(changes.stay)
    }

    /// A name whose value could cross and cannot any more has an old value on the other side.
    fn drop_stale(&mut self, changes: &mut Changes, from_here: bool) {
        let marks = if from_here {
            &self.local_marks
        } else {
            &self.remote_marks
        };
        let modules = changes.modules.iter().map(|(name, _)| name);
        let stay = changes.stay.iter().map(|left| &left.name).chain(modules);
        let stale: Vec<_> = stay
            .filter(|name| marks.contains_key(*name))
            .cloned()
            .collect();
        for name in stale {
            if !changes.gone.contains(&name) {
                changes.gone.push(name);
            }
        }
        for name in &changes.gone {
            self.local_marks.remove(name);
            self.remote_marks.remove(name);
        }
    }

    async fn run_there(
        &mut self,
        source: &str,
        options: RunOptions,
    ) -> Result<Outcome, BackendError> {
        let wish = self.local.cancel_handle();
        wish.reset();
        // A start may take long; given up half-way, it leaves nothing behind.
        let is_ready = tokio::select! {
            ready = self.remote() => ready.map(|()| true)?,
            () = wish.wanted() => false,
        };
        if !is_ready {
            let reason = "the run was cancelled before the remote backend was there";
            return Ok(not_run(RunError::outer(ErrorKind::Cancelled, reason)));
        }
        let mut left = self.take_there().await?;
        let Some(remote) = &mut self.remote else {
            return Err(BackendError::Closed(Place::Local));
        };
        let outcome = {
            let there = remote.cancel_handle();
            let mut run = remote.run(source, options);
            tokio::select! {
                // The run first: its beginning forgets older wishes.
                biased;
                outcome = &mut run => outcome,
                () = wish.wanted() => {
                    there.cancel();
                    run.await
                }
            }
        };
        let lost = match &outcome {
            Ok(outcome) => outcome.error.as_ref().is_some_and(|e| e.session_lost),
            Err(_) => true,
        };
        let mut outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                self.forget_remote();
                return Err(error);
            }
        };
        if lost {
            // What was there is gone; what the sandbox had is still here.
            self.forget_remote();
        } else {
            left.extend(self.take_back().await?);
        }
        outcome.left_behind = left;
        Ok(outcome)
    }
}

/// The first import that the policy does not allow, unless it is of a module that is listed to go there.
fn refused_by<'a>(policy: &Policy, routing: &Routing, imports: &'a [Import]) -> Option<&'a Import> {
    imports.iter().find(|import| {
        !covers(&routing.remote, &import.module) && !policy.allows_import(&import.module)
    })
}

/// Whether one of the names is the module's, or that of a package around it.
fn covers(names: &[String], module: &str) -> bool {
    names.iter().any(|name| {
        let name = name.strip_suffix(".*").unwrap_or(name);
        module
            .strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// The source as the body of a coroutine, each line one below its own: what awaits outside of functions has its imports listed so. It is not run.
fn as_coroutine(source: &str) -> String {
    let body: Vec<_> = source.lines().collect();
    format!("async def program():\n {}\n pass", body.join("\n "))
}

/// The first of the names that the source mentions, other than as an attribute. Also one in a comment or a string: f-strings have names in them.
fn mentioned<'a>(source: &'a str, names: &HashSet<String>) -> Option<&'a str> {
    if names.is_empty() {
        return None;
    }
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    let mut before = ' ';
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if !is_part(c) {
            if !c.is_whitespace() {
                before = c;
            }
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if before != '.' && names.contains(word) {
            return Some(word);
        }
        before = ' ';
        rest = after;
    }
    None
}

/// The outcome of a program that may not run.
fn refusal(reason: String, line: Option<u32>) -> Outcome {
    let mut error = RunError::outer(ErrorKind::Refused, reason);
    error.type_name = "ImportError".to_owned();
    error.line = line;
    not_run(error)
}

/// The outcome of a program that was not run.
fn not_run(mut error: RunError) -> Outcome {
    error.session_lost = false;
    Outcome {
        value: None,
        is_final_answer: false,
        output: Output::default(),
        error: Some(error),
        usage: Usage {
            fuel: 0,
            duration: std::time::Duration::ZERO,
            peak_memory: 0,
            output_bytes: 0,
            tool_calls: 0,
            tool_time: std::time::Duration::ZERO,
            operations: 0,
        },
        place: Place::Local,
        displays: Vec::new(),
        left_behind: Vec::new(),
    }
}

impl Backend for Router {
    fn place(&self) -> Place {
        Place::Local
    }

    fn run<'a>(&'a mut self, source: &'a str, options: RunOptions) -> Pending<'a, Outcome> {
        Box::pin(async move {
            match self.route_of(source, options.top_level_await).await? {
                Route::Local => Ok(self.local.run_with(source, options).await?),
                Route::Remote { reason } => {
                    tracing::debug!(%reason, "a program goes to a remote backend");
                    self.run_there(source, options).await
                }
                Route::Refuse { reason, line } => Ok(refusal(reason, line)),
            }
        })
    }

    fn install<'a>(&'a mut self, packages: &'a [String]) -> Pending<'a, ()> {
        Box::pin(async move {
            if packages.is_empty() {
                return Ok(());
            }
            self.remote().await?;
            match &mut self.remote {
                Some(remote) => remote.install(packages).await,
                None => self.local.install(packages).await,
            }
        })
    }

    fn set_variables<'a>(&'a mut self, variables: &'a [(String, Value)]) -> Pending<'a, ()> {
        Box::pin(async move {
            self.local.set_variables(variables).await?;
            // They are there no more only: a program takes these along.
            for (name, _) in variables {
                self.remote_names.remove(name);
            }
            Ok(())
        })
    }

    fn get_variable<'a>(&'a mut self, name: &'a str) -> Pending<'a, Option<Value>> {
        Box::pin(async move {
            match &mut self.remote {
                Some(remote) if self.remote_names.contains(name) => remote.get_variable(name).await,
                _ => Backend::get_variable(&mut self.local, name).await,
            }
        })
    }

    fn list_variables(&mut self, repr_limit: u32) -> Pending<'_, Vec<Variable>> {
        Box::pin(async move {
            let mut all = Backend::list_variables(&mut self.local, repr_limit).await?;
            if let Some(remote) = &mut self.remote {
                let there = remote.list_variables(repr_limit).await?;
                all.extend(
                    there
                        .into_iter()
                        .filter(|variable| self.remote_names.contains(&variable.name)),
                );
            }
            Ok(all)
        })
    }

    fn set_tools<'a>(&'a mut self, tools: &'a Tools) -> Pending<'a, ()> {
        Box::pin(async move {
            Backend::set_tools(&mut self.local, tools).await?;
            if let Some(remote) = &mut self.remote {
                remote.set_tools(tools).await?;
            }
            self.tools = Some(tools.clone());
            Ok(())
        })
    }

    fn cancel_handle(&self) -> CancelHandle {
        self.local.cancel_handle()
    }

    fn changes<'a>(&'a mut self, marks: &'a Marks) -> Pending<'a, Changes> {
        self.local.changes(marks)
    }

    fn apply<'a>(&'a mut self, changes: &'a Changes) -> Pending<'a, Marks> {
        self.local.apply(changes)
    }

    fn cleanup(&mut self) -> Pending<'_, ()> {
        Box::pin(async move {
            self.local.close();
            match &mut self.remote {
                Some(remote) => remote.cleanup().await,
                None => Ok(()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_all_below_it() {
        let names = ["numpy".to_owned(), "a.b.*".to_owned()];
        assert!(covers(&names, "numpy") && covers(&names, "numpy.linalg"));
        assert!(covers(&names, "a.b") && covers(&names, "a.b.c"));
        assert!(!covers(&names, "numpy_financial") && !covers(&names, "a"));
    }

    #[test]
    fn a_program_becomes_a_coroutine() {
        assert_eq!(
            as_coroutine("if a:\n\tawait b"),
            "async def program():\n if a:\n \tawait b\n pass"
        );
    }

    #[test]
    fn names_are_found_where_they_are_no_attributes() {
        let names = HashSet::from(["df".to_owned(), "naïve".to_owned()]);
        for source in [
            "df.mean()",
            "print(f'{df}')",
            "x = [df]",
            "x.y(df)",
            "naïve",
        ] {
            assert!(mentioned(source, &names).is_some(), "{source}");
        }
        for source in ["x.df", "x. df", "dfs", "_df", "", "naive"] {
            assert_eq!(mentioned(source, &names), None, "{source}");
        }
    }
}
