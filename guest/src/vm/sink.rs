//! Sinks: what a native function does with the items of a generator, without leaving the instruction loop for each of them.
//!
//! `sum(x * x for x in numbers)` would otherwise enter the loop anew for every item, and that costs several times what the item does. A generator that
//! feeds a sink has a frame of [`Mode::Feed`]: its `yield` offers the value to the innermost sink and goes on at once if the sink takes it.
//! This module knows no sink; they are beside the functions that they belong to.

use std::cell::RefCell;
use std::rc::Rc;

use super::frame::Mode;
use super::generators::Resumed;
use super::{R, Vm};
use crate::objects::generator::{Generator, GeneratorKind};
use crate::value::Value;

/// Takes items of an iterator.
pub trait Sink {
    /// Takes an item, or gives it back. It is to give back what only code of the program can deal with: that code would see the generator running.
    /// An error ends the iteration, and the generator does not hear of it.
    fn take(&mut self, vm: &mut Vm, item: Value) -> R<Option<Value>>;
}

/// The sinks that are in use, the innermost last.
#[derive(Default)]
pub(crate) struct Sinks(Vec<Rc<RefCell<dyn Sink>>>);

impl Vm {
    /// The next item of an iterator that the sink does not take; `None` when there are no more.
    pub fn next_beyond<S: Sink + 'static>(
        &mut self,
        it: &Value,
        sink: &Rc<RefCell<S>>,
    ) -> R<Option<Value>> {
        if let Some(generator) = it.as_ref::<Generator>()
            && generator.kind == GeneratorKind::Generator
        {
            let generator = generator.clone();
            let sink = sink.clone();
            return self.recurse("", |vm| {
                vm.sinks.0.push(sink);
                let resumed = vm.resume_as(&generator, Value::NONE, Mode::Feed);
                vm.sinks.0.pop();
                Ok(match resumed? {
                    Resumed::Yielded(item) => Some(item),
                    Resumed::Returned(_) => None,
                })
            });
        }
        if let Some(left) = crate::builtins::iterators::pour(self, it, sink)? {
            return Ok(left);
        }
        while let Some(item) = self.step(it)? {
            self.poll_native()?;
            let left = sink.borrow_mut().take(self, item)?;
            if left.is_some() {
                return Ok(left);
            }
        }
        Ok(None)
    }

    /// Offers what a generator yields to the innermost sink.
    #[inline(never)]
    pub(crate) fn offer(&mut self, item: Value) -> R<Option<Value>> {
        let Some(sink) = self.sinks.0.last().cloned() else {
            return Ok(Some(item));
        };
        let mut sink = sink.borrow_mut();
        sink.take(self, item)
    }
}
