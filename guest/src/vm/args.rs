//! Arguments of calls, and how they are bound to the signatures of native functions.

use super::{R, Vm};
use crate::heap::Ref;
use crate::objects::native::Params;
use crate::objects::string::Str;
use crate::value::Value;

/// Arguments as they were passed: positional ones, then the values of keywords.
#[derive(Clone, Copy)]
pub struct Args<'a> {
    values: &'a [Value],
    /// Names of the keywords, exact `str`s.
    names: &'a [Value],
}

impl<'a> Args<'a> {
    /// Positional arguments only.
    #[inline(always)]
    pub fn positional_only(values: &'a [Value]) -> Args<'a> {
        Args { values, names: &[] }
    }

    /// `values` ends with the values of the keywords `names`.
    #[inline(always)]
    pub fn new(values: &'a [Value], names: &'a [Value]) -> Args<'a> {
        debug_assert!(names.len() <= values.len());
        Args { values, names }
    }

    /// The positional arguments.
    #[inline(always)]
    pub fn positional(&self) -> &'a [Value] {
        &self.values[..self.values.len() - self.names.len()]
    }

    /// All values: positional ones, then those of keywords.
    #[inline(always)]
    pub fn values(&self) -> &'a [Value] {
        self.values
    }

    /// The names of the keywords.
    #[inline(always)]
    pub fn names(&self) -> &'a [Value] {
        self.names
    }

    /// The keywords.
    pub fn keywords(&self) -> impl Iterator<Item = (&'a Ref<Str>, &'a Value)> {
        let start = self.values.len() - self.names.len();
        self.names
            .iter()
            .zip(&self.values[start..])
            .filter_map(|(n, v)| n.as_ref::<Str>().map(|n| (n, v)))
    }

    /// Whether there are no arguments at all.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Without the first positional argument.
    pub fn tail(&self) -> Args<'a> {
        Args {
            values: &self.values[1..],
            names: self.names,
        }
    }

    /// `TypeError` when there are keywords.
    pub fn no_keywords(&self, vm: &mut Vm, function: &str) -> R<()> {
        if self.names.is_empty() {
            Ok(())
        } else {
            Err(vm.type_error(format!("{function}() takes no keyword arguments")))
        }
    }

    /// The positional arguments, between `min` and `max` of them; `TypeError` in CPython's words otherwise ("f expected at least 1 argument, got 0").
    pub fn exactly(&self, vm: &mut Vm, function: &str, min: usize, max: usize) -> R<&'a [Value]> {
        self.no_keywords(vm, function)?;
        let n = self.values.len();
        if n < min || n > max {
            let (word, limit) = if min == max {
                ("", min)
            } else if n < min {
                ("at least ", min)
            } else {
                ("at most ", max)
            };
            return Err(vm.type_error(format!(
                "{function} expected {word}{limit} argument{}, got {n}",
                if limit == 1 { "" } else { "s" }
            )));
        }
        Ok(self.values)
    }

    /// Binds the arguments to a signature (see [`params!`](crate::params)); the result has one value for each parameter, `UNDEF` where none was given.
    /// `skip` is 1 when the first parameter is a `self` that error texts do not count.
    pub fn bind(&self, vm: &mut Vm, function: &str, params: &Params, skip: usize) -> R<Vec<Value>> {
        match self.fit(params) {
            Some(bound) => Ok(bound),
            None => self.bind_slowly(vm, function, params, skip),
        }
    }

    /// The same for arguments that fit; `None` for others, of which [`Args::bind`] says what is wrong, for which it must know the function's name.
    pub(super) fn fit(&self, params: &Params) -> Option<Vec<Value>> {
        let positional = self.positional();
        if positional.len() > params.positional {
            return None;
        }
        let mut bound = Vec::with_capacity(params.names.len());
        bound.extend_from_slice(positional);
        bound.resize_with(params.names.len(), || Value::UNDEF);
        for (name, value) in self.keywords() {
            let mut names = params.names.iter();
            let at = names.position(|p| p.as_bytes() == name.as_bytes())?;
            if at < params.posonly || !bound[at].is_undef() {
                return None;
            }
            bound[at] = value.clone();
        }
        for (i, value) in bound.iter().enumerate() {
            if params.required >> i & 1 != 0 && value.is_undef() {
                return None;
            }
        }
        while bound.last().is_some_and(Value::is_undef) {
            bound.pop();
        }
        Some(bound)
    }

    #[cold]
    fn bind_slowly(
        &self,
        vm: &mut Vm,
        function: &str,
        params: &Params,
        skip: usize,
    ) -> R<Vec<Value>> {
        let positional = self.positional();
        if !self.names.is_empty() && params.posonly == params.names.len() {
            return Err(vm.type_error(format!("{function}() takes no keyword arguments")));
        }
        if positional.len() + self.names.len() > params.names.len()
            && params.posonly < params.names.len()
        {
            return Err(too_many(
                vm,
                function,
                params,
                positional.len() + self.names.len(),
                positional.len(),
                skip,
            ));
        }
        if positional.len() > params.positional {
            return Err(too_many(
                vm,
                function,
                params,
                positional.len() + self.names.len(),
                positional.len(),
                skip,
            ));
        }
        let mut unexpected = None;
        let mut bound: Vec<Value> = positional.to_vec();
        bound.resize_with(params.names.len(), || Value::UNDEF);
        for (name, value) in self.keywords() {
            let text = name.to_text();
            match params.names.iter().position(|p| *p == text) {
                Some(i) if i >= params.posonly => {
                    if !bound[i].is_undef() {
                        return Err(vm.type_error(format!(
                            "argument for {function}() given by name ('{text}') and position ({})",
                            i + 1 - skip
                        )));
                    }
                    bound[i] = value.clone();
                }
                _ if params.posonly == params.names.len() => {
                    return Err(vm.type_error(format!("{function}() takes no keyword arguments")));
                }
                // That something is missing is said before that something is unknown.
                _ => unexpected = Some(text.into_owned()),
            }
        }
        for (i, name) in params.names.iter().enumerate() {
            if params.required >> i & 1 != 0 && bound[i].is_undef() {
                if i < params.posonly || params.names.len() == params.posonly {
                    return Err(too_few(vm, function, params, positional.len(), skip));
                }
                let place = if i < params.positional {
                    format!(" (pos {})", i + 1 - skip)
                } else {
                    String::new()
                };
                return Err(vm.type_error(format!(
                    "{function}() missing required argument '{name}'{place}"
                )));
            }
        }
        if let Some(text) = unexpected {
            return Err(vm.type_error(format!(
                "{function}() got an unexpected keyword argument '{text}'"
            )));
        }
        while bound.last().is_some_and(Value::is_undef) {
            bound.pop();
        }
        Ok(bound)
    }
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// The error for too many arguments, in the words of CPython's calling conventions.
#[cold]
pub fn too_many(
    vm: &mut Vm,
    function: &str,
    params: &Params,
    given: usize,
    positional: usize,
    skip: usize,
) -> super::Raised {
    let max = params.positional - skip;
    let (n, given) = (positional - skip, given - skip);
    let bare = function.rsplit('.').next().unwrap_or(function).to_owned();
    let most = params.names.len() - skip;
    if params.posonly < params.names.len() && given > most {
        let keyword = if n == 0 { "keyword " } else { "" };
        return vm.type_error(format!(
            "{bare}() takes at most {most} {keyword}argument{} ({given} given)",
            plural(most)
        ));
    }
    let text = if params.names.len() == params.posonly {
        match (params.min - skip, max) {
            (_, 0) => format!("{function}() takes no arguments ({n} given)"),
            (1, 1) => format!("{function}() takes exactly one argument ({n} given)"),
            (min, max) if min == max => {
                format!("{bare} expected {max} argument{}, got {n}", plural(max))
            }
            _ => format!(
                "{bare} expected at most {max} argument{}, got {n}",
                plural(max)
            ),
        }
    } else if params.names.len() > params.positional && max > 0 {
        let word = if params.min - skip == max {
            "exactly"
        } else {
            "at most"
        };
        format!(
            "{bare}() takes {word} {max} positional argument{} ({n} given)",
            plural(max)
        )
    } else if max == 0 {
        format!("{bare}() takes no positional arguments")
    } else {
        format!(
            "{bare}() takes at most {max} argument{} ({given} given)",
            plural(max)
        )
    };
    vm.type_error(text)
}

/// The error for too few positional-only arguments.
#[cold]
pub fn too_few(
    vm: &mut Vm,
    function: &str,
    params: &Params,
    positional: usize,
    skip: usize,
) -> super::Raised {
    let n = positional.saturating_sub(skip);
    let bare = function.rsplit('.').next().unwrap_or(function).to_owned();
    let (min, max) = (params.min - skip, params.positional - skip);
    let text = match (min, max) {
        _ if params.names.len() > params.posonly => {
            // CPython's functions with keyword parameters word it in their own way.
            let least = params.min.min(params.posonly) - skip;
            let word = if least == max { "exactly" } else { "at least" };
            format!(
                "{bare}() takes {word} {least} positional argument{} ({n} given)",
                plural(least)
            )
        }
        (1, 1) => format!("{function}() takes exactly one argument ({n} given)"),
        _ if min == max => format!("{bare} expected {min} argument{}, got {n}", plural(min)),
        _ => format!(
            "{bare} expected at least {min} argument{}, got {n}",
            plural(min)
        ),
    };
    vm.type_error(text)
}

/// The argument at `index` of a bound slice, if it was given.
#[inline]
pub fn optional(args: &[Value], index: usize) -> Option<&Value> {
    args.get(index).and_then(Value::defined)
}
