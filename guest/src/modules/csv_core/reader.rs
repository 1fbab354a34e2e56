//! Reading: a machine of few states goes over the characters of a line, and asks for another line inside of quotes.

use super::dialect::{Dialect, Quoting};
use super::{error, module_of};
use crate::class_slot;
use crate::heap::{self, Payload};
use crate::objects::list::List;
use crate::objects::native::receiver;
use crate::objects::slots::Slots;
use crate::objects::string::{Str, decode_char, push_char};
use crate::objects::types::ClassBuilder;
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};
use std::cell::Cell;

/// Payload of `reader`.
pub(super) struct Reader {
    lines: Value,
    dialect: Value,
    line_num: Cell<i64>,
}

// SAFETY: visits both values.
unsafe impl Payload for Reader {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.lines);
        visit(&self.dialect);
    }
}

/// Builds the class, unless it exists.
pub(super) fn init(vm: &mut Vm) {
    if Reader::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    ClassBuilder::new::<Reader>("reader")
        .slots(Slots {
            new: Some(crate::objects::struct_seq::not_from_python),
            iter: Some(|_, v| Ok(v.clone())),
            next: Some(next),
            ..Slots::NONE
        })
        .module(vm, "_csv")
        .getset(
            vm,
            "dialect",
            |_, v| Ok(receiver::<Reader>(v).dialect.clone()),
            Some(super::read_only),
        )
        .getset(
            vm,
            "line_num",
            |_, v| Ok(Value::int(receiver::<Reader>(v).line_num.get())),
            Some(super::read_only),
        )
        .build(vm);
}

/// `reader(iterable, dialect='excel', **parts)`
pub(super) fn make(vm: &mut Vm, args: Args) -> R {
    let Some(source) = super::first(vm, args, 2)? else {
        return Err(vm.type_error(" expected at least 1 argument, got 0"));
    };
    let lines = vm.get_iter(&source)?;
    let m = module_of(vm)?;
    let dialect = super::dialect::make(vm, &m, args, 1)?;
    Ok(Value::from_ref(heap::alloc(Reader {
        lines,
        dialect,
        line_num: Cell::new(0),
    })))
}

/// Where in a row the machine is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    StartRecord,
    StartField,
    Escaped,
    InField,
    InQuotes,
    EscapedInQuotes,
    /// After a quote in quotes.
    AfterQuote,
    /// After the end of the line; only line ends may follow.
    EatEnd,
    AfterEscapedEnd,
}

/// A row in the making.
struct Row<'a> {
    d: &'a Dialect,
    state: State,
    fields: Vec<Value>,
    field: Vec<u8>,
    chars: usize,
    /// Whether the field becomes a number.
    numeric: bool,
    /// Whether the field was quoted nowhere.
    unquoted: bool,
    limit: i64,
}

/// A character, or the end of a line.
const END: u32 = u32::MAX;

impl Row<'_> {
    fn add(&mut self, c: u32) -> Result<(), String> {
        self.chars += 1;
        if self.chars as i64 > self.limit {
            return Err(format!("field larger than field limit ({})", self.limit));
        }
        push_char(&mut self.field, c);
        Ok(())
    }

    /// Ends the field.
    fn save(&mut self, vm: &mut Vm) -> R<()> {
        let empty = self.field.is_empty();
        let nothing =
            empty && self.unquoted && matches!(self.d.quoting, Quoting::Strings | Quoting::NotNull);
        let mut v = if nothing {
            Value::NONE
        } else {
            Str::value_wtf8(&self.field)
        };
        if self.numeric && !nothing {
            self.numeric = false;
            let class = crate::objects::float::Float::class().to_value();
            v = vm.call(&class, &[v])?;
        }
        self.field.clear();
        self.chars = 0;
        self.fields.push(v);
        Ok(())
    }

    /// Takes one character.
    fn take(&mut self, vm: &mut Vm, c: u32) -> R<Result<(), String>> {
        let d = self.d;
        let is_end = c == END || c == '\n' as u32 || c == '\r' as u32;
        let after_end = if c == END {
            State::StartRecord
        } else {
            State::EatEnd
        };
        let quotes = d.quoting != Quoting::None && Some(c) == d.quote;
        let numeric = matches!(d.quoting, Quoting::NonNumeric | Quoting::Strings);
        match self.state {
            State::StartRecord if c == END => {}
            State::StartRecord if is_end => self.state = State::EatEnd,
            State::StartRecord | State::StartField => {
                self.unquoted = true;
                self.state = State::StartField;
                if is_end {
                    self.save(vm)?;
                    self.state = after_end;
                } else if quotes {
                    self.unquoted = false;
                    self.state = State::InQuotes;
                } else if Some(c) == d.escape {
                    self.numeric = numeric;
                    self.state = State::Escaped;
                } else if c == ' ' as u32 && d.skip_space {
                } else if c == d.delimiter {
                    self.save(vm)?;
                } else {
                    self.numeric = numeric;
                    self.state = State::InField;
                    return Ok(self.add(c));
                }
            }
            State::Escaped if is_end && c != END => {
                self.state = State::AfterEscapedEnd;
                return Ok(self.add(c));
            }
            State::Escaped => {
                self.state = State::InField;
                return Ok(self.add(if c == END { '\n' as u32 } else { c }));
            }
            State::AfterEscapedEnd if c == END => {}
            State::AfterEscapedEnd | State::InField => {
                self.state = State::InField;
                if is_end {
                    self.save(vm)?;
                    self.state = after_end;
                } else if Some(c) == d.escape {
                    self.state = State::Escaped;
                } else if c == d.delimiter {
                    self.save(vm)?;
                    self.state = State::StartField;
                } else {
                    return Ok(self.add(c));
                }
            }
            State::InQuotes => {
                if c == END {
                } else if Some(c) == d.escape {
                    self.state = State::EscapedInQuotes;
                } else if quotes {
                    self.state = if d.double_quote {
                        State::AfterQuote
                    } else {
                        State::InField
                    };
                } else {
                    return Ok(self.add(c));
                }
            }
            State::EscapedInQuotes => {
                self.state = State::InQuotes;
                return Ok(self.add(if c == END { '\n' as u32 } else { c }));
            }
            State::AfterQuote => {
                if quotes {
                    self.state = State::InQuotes;
                    return Ok(self.add(c));
                } else if c == d.delimiter {
                    self.save(vm)?;
                    self.state = State::StartField;
                } else if is_end {
                    self.save(vm)?;
                    self.state = after_end;
                } else if !d.strict {
                    self.state = State::InField;
                    return Ok(self.add(c));
                } else {
                    let mut text = Vec::new();
                    push_char(&mut text, d.delimiter);
                    text.extend_from_slice(b"' expected after '");
                    push_char(&mut text, d.quote.unwrap_or('"' as u32));
                    return Ok(Err(format!("'{}'", String::from_utf8_lossy(&text))));
                }
            }
            State::EatEnd => {
                if c == END {
                    self.state = State::StartRecord;
                } else if !is_end {
                    return Ok(Err("new-line character seen in unquoted field - do you need to open the file with newline=''?".to_owned()));
                }
            }
        }
        Ok(Ok(()))
    }
}

fn next(vm: &mut Vm, v: &Value) -> R {
    let reader = receiver::<Reader>(v).clone();
    let m = module_of(vm)?;
    let Some(d) = reader.dialect.as_ref::<Dialect>().cloned() else {
        return Err(vm.system_error("a reader without a dialect"));
    };
    let mut row = Row {
        d: &d,
        state: State::StartRecord,
        fields: Vec::new(),
        field: Vec::new(),
        chars: 0,
        numeric: false,
        unquoted: true,
        limit: super::field_limit(vm, &m),
    };
    loop {
        vm.poll_native()?;
        let Some(line) = vm.iter_next(&reader.lines)? else {
            if !row.field.is_empty() || row.state == State::InQuotes {
                if d.strict {
                    return Err(error(vm, &m, "unexpected end of data"));
                }
                row.save(vm)?;
                return Ok(List::value(row.fields));
            }
            return Ok(Value::UNDEF);
        };
        let Some(text) = line.as_ref::<Str>() else {
            let class = vm.class_name(&line);
            return Err(error(
                vm,
                &m,
                &format!(
                    "iterator should return strings, not {class} (the file should be opened in text mode)"
                ),
            ));
        };
        reader.line_num.set(reader.line_num.get() + 1);
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let (c, n) = decode_char(&bytes[at..]);
            at += n;
            if let Err(text) = row.take(vm, c)? {
                return Err(error(vm, &m, &text));
            }
        }
        if let Err(text) = row.take(vm, END)? {
            return Err(error(vm, &m, &text));
        }
        if row.state == State::StartRecord {
            return Ok(List::value(row.fields));
        }
    }
}
