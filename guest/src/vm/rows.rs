//! Rows of calls: a function of the program that native code calls for one item after the other, without leaving the instruction loop in between.
//!
//! `sorted(words, key=lambda w: w.lower())` would otherwise enter the loop anew for every word, which costs more than the function does. The function of a
//! row has a frame of [`Mode::Row`]: its result goes to the innermost row, which says what the next call gets. This module knows no row; they are beside the
//! functions that they belong to.

use std::cell::RefCell;
use std::rc::Rc;

use super::call::Entered;
use super::frame::{Frame, Mode};
use super::{R, Vm};
use crate::heap::Ref;
use crate::objects::function::Function;
use crate::value::Value;

/// What a call gets.
pub(crate) enum Next {
    /// There is no next call.
    End,
    /// One argument.
    One(Value),
    /// Two of them.
    Two(Value, Value),
}

/// What gives the arguments of the calls, and takes their results.
pub(crate) trait Row {
    /// Takes the result of the call before (none at first), and says what the next one gets. It may run code of the program; an error ends the row.
    fn next(&mut self, vm: &mut Vm, result: Option<Value>) -> R<Next>;
}

/// The rows that are under way, the innermost last, each with its function.
#[derive(Default)]
pub(crate) struct Rows(Vec<UnderWay>);

/// A function and its row.
type UnderWay = (Ref<Function>, Rc<RefCell<dyn Row>>);

impl Vm {
    /// Calls `function` until the row ends.
    pub(crate) fn call_row<T: Row + 'static>(
        &mut self,
        function: &Value,
        row: &Rc<RefCell<T>>,
    ) -> R<()> {
        let Some(plain) = function.as_exact::<Function>() else {
            return self.call_one_by_one(function, row);
        };
        self.rows.0.push((plain.clone(), row.clone()));
        let result = self.next_in_row(None).and_then(|goes_on| {
            if goes_on {
                self.run_nested().map(drop)
            } else {
                Ok(())
            }
        });
        self.rows.0.pop();
        result
    }

    /// The same for what is no function of the program.
    fn call_one_by_one<T: Row>(&mut self, function: &Value, row: &Rc<RefCell<T>>) -> R<()> {
        let mut result = None;
        loop {
            self.poll_native()?;
            let next = row.borrow_mut().next(self, result)?;
            result = Some(match next {
                Next::End => return Ok(()),
                Next::One(a) => self.call(function, &[a])?,
                Next::Two(a, b) => self.call(function, &[a, b])?,
            });
        }
    }

    /// Gives the innermost row a result, and pushes the frame of its next call. False when it has ended.
    #[inline(never)]
    pub(crate) fn next_in_row(&mut self, mut result: Option<Value>) -> R<bool> {
        let Some((function, row)) = self.rows.0.last().cloned() else {
            return Ok(false);
        };
        loop {
            self.poll_native()?;
            let next = row.borrow_mut().next(self, result)?;
            let code = function.code.get(self).clone();
            let base = self.stack_top();
            if !self.stack.prepare(base, code.proto.nregs as usize + 66) {
                return Err(self.too_deep(""));
            }
            let count = match next {
                Next::End => return Ok(false),
                Next::One(a) => {
                    // SAFETY: above every live register, inside the stack.
                    unsafe { base.write(a) };
                    1
                }
                Next::Two(a, b) => {
                    // SAFETY: as above.
                    unsafe {
                        base.write(a);
                        base.add(1).write(b);
                    }
                    2
                }
            };
            // The rule: what `enter` would do, without asking what it asks.
            if code.plain_args.get() as usize == count
                && self.frames.len() + self.native_depth < self.recursion_limit
            {
                self.frames.push(Frame {
                    base,
                    // SAFETY: inside the stack, as checked above.
                    top: unsafe { base.add(code.nregs as usize) },
                    pc: code.proto.instrs.as_ptr(),
                    code,
                    function,
                    dst: 0,
                    mode: Mode::Row,
                    generator: None,
                    aux: Value::UNDEF,
                    object: None,
                });
                return Ok(true);
            }
            match self.enter(function.clone(), code, base, count, &[], Mode::Row, 0)? {
                Entered::Frame => return Ok(true),
                // A generator function: each call makes one.
                Entered::Value(v) => result = Some(v),
            }
        }
    }
}
