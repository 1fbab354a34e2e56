//! The backtracking matcher.
//!
//! It runs a [`Program`] with the one explicit stack of a [`Scratch`]. A [`Frame`] on it is either a way not taken yet, or the old
//! value of something that was changed (a group's slot, a loop's counter) and that has to be restored when
//! matching falls back behind the change, or a barrier that marks the entry of a look-around or atomic group.
//! Leaving such a group removes the ways above its barrier and keeps the old values. `Matcher::barrier` is
//! the index of the topmost barrier at all times.
//!
//! While nothing is on the stack, changes are not recorded: there is no way left to fall back to.

use crate::ast::{At, UNBOUNDED};
use crate::class::Fold;
use crate::error::MatchError;
use crate::program::{FIRST, Op, Pc, Program, Run, RunKind, SECOND, Single};
use crate::scratch::{Frame, NONE, PLAIN_BARRIER, Scratch, Tag, grow};
use crate::subject::Unit;
use crate::unicode;

/// Steps between two calls of the hook.
const STEPS: i32 = 1 << 16;

/// A match in progress.
pub(crate) struct Matcher<'a, U> {
    pub program: &'a Program,
    /// The subject up to `endpos`.
    pub text: &'a [U],
    pub scratch: &'a mut Scratch,
    /// Whether the match has to end where the text does.
    pub full: bool,
    /// Where the match must not both begin and end.
    pub not_empty_at: u32,
    /// Where the leading run of this attempt ended; see [`Run::leading`].
    pub lead_end: u32,
    /// Frames in use.
    top: usize,
    barrier: u32,
    /// Whether slots were changed without a record.
    dirty: bool,
    steps: i32,
    hook: &'a mut dyn FnMut() -> bool,
}

impl<'a, U: Unit> Matcher<'a, U> {
    pub fn new(
        program: &'a Program,
        groups: usize,
        text: &'a [U],
        scratch: &'a mut Scratch,
        hook: &'a mut dyn FnMut() -> bool,
    ) -> Matcher<'a, U> {
        scratch.slots.clear();
        scratch.slots.resize(2 * (groups + 1), NONE);
        scratch.last_group = 0;
        scratch.counters.resize(program.loops.len(), (0, NONE));
        Matcher {
            program,
            text,
            scratch,
            full: false,
            not_empty_at: NONE,
            lead_end: NONE,
            top: 0,
            barrier: NONE,
            dirty: false,
            steps: STEPS,
            hook,
        }
    }

    /// Records the whole match.
    pub fn accept(&mut self, start: usize, end: usize) {
        self.scratch.slots[0] = start as u32;
        self.scratch.slots[1] = end as u32;
    }

    /// Counts steps, and asks the hook now and then.
    #[inline]
    pub fn spend(&mut self, steps: usize) -> Result<(), MatchError> {
        self.steps -= steps.min(STEPS as usize) as i32;
        if self.steps < 0 {
            self.steps = STEPS;
            if !(self.hook)() {
                return Err(MatchError::Interrupted);
            }
        }
        Ok(())
    }

    #[inline]
    fn push(&mut self, tag: Tag, index: u32, a: u32, b: u32) -> Result<(), MatchError> {
        let frame = Frame::new(tag, index, a, b);
        match self.scratch.stack.get_mut(self.top) {
            Some(place) => *place = frame,
            None => grow(&mut self.scratch.stack, self.scratch.limit, frame)?,
        }
        self.top += 1;
        Ok(())
    }

    #[inline]
    fn pop(&mut self) -> Option<Frame> {
        self.top = self.top.checked_sub(1)?;
        self.scratch.stack.get(self.top).copied()
    }

    /// Removes the topmost barrier and the ways above it, keeping the old values.
    fn cut(&mut self) -> Frame {
        let stack = &mut self.scratch.stack;
        let mut kept = self.barrier as usize;
        let barrier = stack[kept];
        for at in kept + 1..self.top {
            // Counters above the barrier belong to loops inside of the group, which are over.
            if matches!(stack[at].tag(), Tag::Slot | Tag::Closed) {
                stack[kept] = stack[at];
                kept += 1;
            }
        }
        self.top = kept;
        self.barrier = barrier.b;
        barrier
    }

    /// Undoes everything above the topmost barrier and removes that too.
    fn unwind(&mut self) {
        while let Some(frame) = self.pop() {
            match frame.tag() {
                Tag::Slot | Tag::Closed | Tag::Counter => self.restore(frame),
                Tag::Barrier => {
                    self.barrier = frame.b;
                    return;
                }
                _ => {}
            }
        }
    }

    #[inline]
    fn restore(&mut self, frame: Frame) {
        let index = frame.index() as usize;
        match frame.tag() {
            Tag::Counter => self.scratch.counters[index] = (frame.a, frame.b),
            Tag::Closed => {
                self.scratch.slots[index] = frame.a;
                self.scratch.last_group = frame.b;
            }
            _ => self.scratch.slots[index] = frame.a,
        }
    }

    /// Tries to match at `start`.
    pub fn attempt(&mut self, start: usize) -> Result<bool, MatchError> {
        let program = self.program;
        let ops = program.ops.as_slice();
        let text = self.text;
        let end = text.len();
        let mut pc: Pc = 0;
        let mut pos = start;
        self.top = 0;
        self.barrier = NONE;
        self.lead_end = NONE;
        loop {
            // Instructions that succeed go on with the loop; leaving the match is failure.
            match ops[pc as usize] {
                Op::Char(c) => {
                    if pos < end && text[pos].code() == c {
                        pos += 1;
                        pc += 1;
                        continue;
                    }
                }
                Op::Text(index) => {
                    let wanted = &program.texts[index as usize];
                    if U::starts_with(&text[pos..], wanted) {
                        pos += wanted.chars.len();
                        pc += 1;
                        continue;
                    }
                }
                Op::AnyButNewline => {
                    if pos < end && text[pos].code() != 10 {
                        pos += 1;
                        pc += 1;
                        continue;
                    }
                }
                Op::AnyChar => {
                    if pos < end {
                        pos += 1;
                        pc += 1;
                        continue;
                    }
                }
                Op::Set(class) => {
                    if pos < end && text[pos].in_class(&program.classes[class as usize]) {
                        pos += 1;
                        pc += 1;
                        continue;
                    }
                }
                Op::At(at) => {
                    if self.holds(at, pos) {
                        pc += 1;
                        continue;
                    }
                }
                Op::Open(group) => {
                    let slot = 2 * group;
                    if self.top == 0 {
                        self.dirty = true;
                    } else {
                        self.push(Tag::Slot, slot, self.scratch.slots[slot as usize], 0)?;
                    }
                    self.scratch.slots[slot as usize] = pos as u32;
                    pc += 1;
                    continue;
                }
                Op::Close(group) => {
                    let slot = 2 * group + 1;
                    if self.top == 0 {
                        self.dirty = true;
                    } else {
                        let old = self.scratch.slots[slot as usize];
                        self.push(Tag::Closed, slot, old, self.scratch.last_group)?;
                    }
                    self.scratch.slots[slot as usize] = pos as u32;
                    self.scratch.last_group = group;
                    pc += 1;
                    continue;
                }
                Op::Jump(target) => {
                    pc = target;
                    continue;
                }
                Op::Split(index) => {
                    let split = &program.splits[index as usize];
                    let ways = match text.get(pos) {
                        Some(unit) => split.guard.ways(unit.code()),
                        None => split.guard.end,
                    };
                    self.spend(1)?;
                    if ways & FIRST != 0 {
                        if ways & SECOND != 0 {
                            self.push(Tag::Goto, split.second, pos as u32, 0)?;
                        }
                        pc = split.first;
                        continue;
                    }
                    if ways & SECOND != 0 {
                        pc = split.second;
                        continue;
                    }
                }
                Op::Switch(index) => {
                    self.spend(1)?;
                    if let Some(target) = self.switch(index, pc, pos, 0)? {
                        pc = target;
                        continue;
                    }
                }
                Op::Run(index) => {
                    let run = &program.runs[index as usize];
                    if let Some(reached) = self.run(run, pc, pos)? {
                        pos = reached;
                        pc += 1;
                        continue;
                    }
                }
                Op::LoopStart(index) => {
                    let (count, last) = self.scratch.counters[index as usize];
                    self.push(Tag::Counter, index, count, last)?;
                    self.scratch.counters[index as usize] = (0, NONE);
                    pc = program.loops[index as usize].next;
                    continue;
                }
                Op::LoopNext(index) => {
                    self.spend(1)?;
                    if let Some(target) = self.loop_next(index, pc, pos)? {
                        pc = target;
                        continue;
                    }
                }
                Op::Look(index) => {
                    let look = &program.looks[index as usize];
                    self.push(Tag::Barrier, index, pos as u32, self.barrier)?;
                    self.barrier = self.top as u32 - 1;
                    // Too close to the start, the body fails, which the barrier turns into the outcome.
                    if let Some(back) = pos.checked_sub(look.behind as usize) {
                        pos = back;
                        pc += 1;
                        continue;
                    }
                }
                Op::LookEnd => {
                    pos = self.cut().a as usize;
                    pc += 1;
                    continue;
                }
                Op::NotLookEnd => self.unwind(),
                Op::Atomic => {
                    self.push(Tag::Barrier, PLAIN_BARRIER, pos as u32, self.barrier)?;
                    self.barrier = self.top as u32 - 1;
                    pc += 1;
                    continue;
                }
                Op::AtomicEnd => {
                    self.cut();
                    pc += 1;
                    continue;
                }
                Op::Backref(group, fold) => {
                    if let Some(after) = self.backref(group, fold, pos) {
                        self.spend((after - pos) / 16)?;
                        pos = after;
                        pc += 1;
                        continue;
                    }
                }
                Op::Cond { group, no } => {
                    pc = if self.group_range(group).is_some() {
                        pc + 1
                    } else {
                        no
                    };
                    continue;
                }
                Op::Fail => {}
                Op::Accept => {
                    let refused = (self.full && pos != end)
                        || (self.not_empty_at == pos as u32 && pos == start);
                    if !refused {
                        self.accept(start, pos);
                        return Ok(true);
                    }
                }
            }
            match self.fall_back()? {
                Some(next) => (pc, pos) = next,
                None => {
                    if std::mem::take(&mut self.dirty) {
                        self.scratch.slots.fill(NONE);
                        self.scratch.last_group = 0;
                    }
                    return Ok(false);
                }
            }
        }
    }

    /// Goes on with the way stacked last: where, if there is one.
    #[inline]
    fn fall_back(&mut self) -> Result<Option<(Pc, usize)>, MatchError> {
        self.spend(1)?;
        while let Some(frame) = self.pop() {
            let index = frame.index();
            match frame.tag() {
                Tag::Goto => return Ok(Some((index, frame.a as usize))),
                Tag::Slot | Tag::Closed | Tag::Counter => self.restore(frame),
                Tag::Way => {
                    if let Op::Switch(switch) = self.program.ops[index as usize]
                        && let Some(target) =
                            self.switch(switch, index, frame.a as usize, frame.b)?
                    {
                        return Ok(Some((target, frame.a as usize)));
                    }
                }
                Tag::GiveBack => {
                    if let Some(pos) = self.give_back(index, frame.a, frame.b as usize - 1)? {
                        return Ok(Some((index + 1, pos)));
                    }
                }
                Tag::TakeMore => {
                    if let Some(pos) = self.take_more(index, frame.a as usize, frame.b as usize)? {
                        return Ok(Some((index + 1, pos)));
                    }
                }
                Tag::Again => {
                    let (count, last) = self.scratch.counters[index as usize];
                    self.push(Tag::Counter, index, count, last)?;
                    self.scratch.counters[index as usize] = (count + 1, frame.a);
                    return Ok(Some((
                        self.program.loops[index as usize].body,
                        frame.a as usize,
                    )));
                }
                Tag::Barrier => {
                    self.barrier = frame.b;
                    if index != PLAIN_BARRIER && self.program.looks[index as usize].negated {
                        let look = &self.program.looks[index as usize];
                        return Ok(Some((look.end, frame.a as usize)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The first way of a switch, from number `from` on, that is open at `pos`. The others are stacked.
    fn switch(
        &mut self,
        index: u32,
        pc: Pc,
        pos: usize,
        from: u32,
    ) -> Result<Option<Pc>, MatchError> {
        let switch = &self.program.switches[index as usize];
        let open = match self.text.get(pos) {
            None => switch.end,
            Some(unit) => match switch.table.get(unit.code() as usize) {
                Some(&mask) => switch.masks[usize::from(mask)],
                None => switch.wide,
            },
        };
        let open = open & (u64::MAX << from);
        if open == 0 {
            return Ok(None);
        }
        let way = open.trailing_zeros();
        let others = open & (open - 1);
        if others != 0 {
            self.push(Tag::Way, pc, pos as u32, others.trailing_zeros())?;
        }
        Ok(Some(switch.ways[way as usize]))
    }

    /// Decides at the end of an iteration (or before the first). A loop whose last iteration was empty, not
    /// being a required one, is left.
    fn loop_next(&mut self, index: u32, pc: Pc, pos: usize) -> Result<Option<Pc>, MatchError> {
        let this = &self.program.loops[index as usize];
        let (count, last) = self.scratch.counters[index as usize];
        let here = pos as u32;
        if count < this.min {
            self.push(Tag::Counter, index, count, last)?;
            self.scratch.counters[index as usize] = (count + 1, last);
            return Ok(Some(this.body));
        }
        let ways = match self.text.get(pos) {
            Some(unit) => this.guard.ways(unit.code()),
            None => this.guard.end,
        };
        let more = (count < this.max || this.max == UNBOUNDED) && here != last && ways & FIRST != 0;
        let exit = ways & SECOND != 0;
        if !more {
            return Ok(exit.then_some(pc + 1));
        }
        if !this.greedy && exit {
            self.push(Tag::Again, index, here, 0)?;
            return Ok(Some(pc + 1));
        }
        if exit {
            self.push(Tag::Goto, pc + 1, here, 0)?;
        }
        self.push(Tag::Counter, index, count, last)?;
        // The count stands still at the top, where it no longer matters.
        self.scratch.counters[index as usize] = (count.saturating_add(1).min(UNBOUNDED - 1), here);
        Ok(Some(this.body))
    }

    /// Where characters that the run accepts end, looking from `pos` to at most `limit`.
    #[inline]
    fn run_end(&self, single: Single, pos: usize, limit: usize) -> usize {
        let window = &self.text[pos..limit];
        let stop = match single {
            Single::AnyChar => None,
            Single::AnyButNewline => U::from_code(10).and_then(|newline| U::find(window, newline)),
            Single::Char(c) => window.iter().position(|u| u.code() != c),
            Single::Set(class) => {
                let class = &self.program.classes[class as usize];
                window.iter().position(|u| !u.in_class(class))
            }
        };
        stop.map_or(limit, |stop| pos + stop)
    }

    /// A run from `pos`: where to go on, other places being stacked.
    #[inline]
    fn run(&mut self, run: &Run, pc: Pc, pos: usize) -> Result<Option<usize>, MatchError> {
        let end = self.text.len();
        let limit = if run.max == UNBOUNDED {
            end
        } else {
            end.min(pos.saturating_add(run.max as usize))
        };
        let low = pos.saturating_add(run.min as usize);
        if run.kind == RunKind::Lazy {
            if low > limit || self.run_end(run.single, pos, low) != low {
                return Ok(None);
            }
            return self.lazy(run, pc, low, limit);
        }
        let reached = self.run_end(run.single, pos, limit);
        self.spend(1 + (reached - pos) / 16)?;
        if run.leading && self.lead_end == NONE {
            self.lead_end = reached as u32;
        }
        if reached < low {
            return Ok(None);
        }
        if run.kind == RunKind::Possessive {
            return Ok(Some(reached));
        }
        self.give_back(pc, low as u32, reached)
    }

    /// The last place from `from` down to `low` where what follows the run can begin.
    fn give_back(&mut self, pc: Pc, low: u32, from: usize) -> Result<Option<usize>, MatchError> {
        let Op::Run(index) = self.program.ops[pc as usize] else {
            return Ok(None);
        };
        let low = low as usize;
        let place = match &self.program.runs[index as usize].next {
            None => from,
            Some(next) => {
                let window = &self.text[low..self.text.len().min(from + 1)];
                let found = if from == self.text.len() && next.at_end {
                    Some(from - low)
                } else if let Some(only) = next.only {
                    U::from_code(only).and_then(|only| U::rfind(window, only))
                } else {
                    window.iter().rposition(|u| next.has(u.code()))
                };
                let skipped = found.map_or(window.len(), |found| from - low - found);
                self.spend(skipped / 16)?;
                match found {
                    Some(found) => low + found,
                    None => return Ok(None),
                }
            }
        };
        if place > low {
            self.push(Tag::GiveBack, pc, low as u32, place as u32)?;
        }
        Ok(Some(place))
    }

    /// A lazy run that got to `pos` takes one more character, and then as many as it must.
    fn take_more(&mut self, pc: Pc, pos: usize, limit: usize) -> Result<Option<usize>, MatchError> {
        let program = self.program;
        let Op::Run(index) = program.ops[pc as usize] else {
            return Ok(None);
        };
        let run = &program.runs[index as usize];
        if pos >= limit || self.run_end(run.single, pos, pos + 1) == pos {
            return Ok(None);
        }
        self.lazy(run, pc, pos + 1, limit)
    }

    /// The first place from `pos` on where what follows a lazy run can begin.
    fn lazy(
        &mut self,
        run: &Run,
        pc: Pc,
        pos: usize,
        limit: usize,
    ) -> Result<Option<usize>, MatchError> {
        let place = match &run.next {
            None => pos,
            Some(next) => match self.lazy_place(run, next, pos, limit) {
                Some(place) => place,
                None => {
                    self.spend((limit - pos) / 16)?;
                    return Ok(None);
                }
            },
        };
        self.spend(1 + (place - pos) / 16)?;
        if place < limit {
            self.push(Tag::TakeMore, pc, place as u32, limit as u32)?;
        }
        Ok(Some(place))
    }

    fn lazy_place(
        &self,
        run: &Run,
        next: &crate::first::FirstSet,
        pos: usize,
        limit: usize,
    ) -> Option<usize> {
        let end = self.text.len();
        // With a dot there is nothing to check on the way but newlines.
        let stop = match run.single {
            Single::AnyChar => Some(None),
            Single::AnyButNewline => Some(U::from_code(10)),
            _ => None,
        };
        if let (Some(only), Some(stop)) = (next.only, stop) {
            let window = &self.text[pos..end.min(limit + 1)];
            let only = U::from_code(only)?;
            let place = pos + U::find2(window, only, stop.unwrap_or(only))?;
            return (self.text[place] == only).then_some(place);
        }
        let class = match run.single {
            Single::Set(class) => Some(&self.program.classes[class as usize]),
            _ => None,
        };
        let mut place = pos;
        loop {
            let Some(&unit) = self.text.get(place) else {
                return next.at_end.then_some(place);
            };
            if next.has(unit.code()) {
                return Some(place);
            }
            let accepted = match (run.single, class) {
                (Single::Char(c), _) => unit.code() == c,
                (Single::AnyButNewline, _) => unit.code() != 10,
                (_, Some(class)) => unit.in_class(class),
                _ => true,
            };
            if !accepted || place >= limit {
                return None;
            }
            place += 1;
        }
    }

    /// The text of a group, as a range; none if it took no part (or is in between, with its end before its start).
    fn group_range(&self, group: u32) -> Option<(usize, usize)> {
        let start = *self.scratch.slots.get(2 * group as usize)?;
        let end = *self.scratch.slots.get(2 * group as usize + 1)?;
        (start != NONE && end != NONE && start <= end).then_some((start as usize, end as usize))
    }

    /// Where a repetition of a group's text ends.
    fn backref(&self, group: u32, fold: Fold, pos: usize) -> Option<usize> {
        let (start, end) = self.group_range(group)?;
        let wanted = &self.text[start..end];
        let found = self.text.get(pos..pos + wanted.len())?;
        let equal = match fold {
            Fold::None => wanted == found,
            _ => wanted
                .iter()
                .zip(found)
                .all(|(a, b)| fold.apply(a.code()) == fold.apply(b.code())),
        };
        equal.then_some(pos + wanted.len())
    }

    fn holds(&self, at: At, pos: usize) -> bool {
        let text = self.text;
        let newline = |at: usize| text.get(at).is_some_and(|u| u.code() == 10);
        match at {
            At::Start => pos == 0,
            At::LineStart => pos == 0 || newline(pos - 1),
            At::End => pos == text.len(),
            At::EndOrNewline => pos == text.len() || (pos + 1 == text.len() && newline(pos)),
            At::LineEnd => pos == text.len() || newline(pos),
            At::Boundary { ascii } => self.boundary(pos, ascii),
            At::NotBoundary { ascii } => !self.boundary(pos, ascii),
        }
    }

    fn boundary(&self, pos: usize, ascii: bool) -> bool {
        let word = |unit: Option<&U>| {
            unit.is_some_and(|u| {
                let c = u.code();
                if ascii {
                    unicode::is_ascii_word(c)
                } else {
                    unicode::is_word(c)
                }
            })
        };
        word(pos.checked_sub(1).and_then(|before| self.text.get(before)))
            != word(self.text.get(pos))
    }
}
