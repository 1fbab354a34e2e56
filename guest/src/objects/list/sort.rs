//! Sorting: `list.sort` and `sorted`.
//!
//! Keys that compare without running Python code (texts, numbers, tuples of them) are sorted by the standard library's stable sort. Everything else goes
//! through a merge sort that takes the runs it finds, extends short ones by binary insertion, merges in the order of powersort (Munro and Wild,
//! "Nearly-optimal mergesorts", 2018) and gallops where one run wins again and again (Peters, "listsort.txt", in CPython's sources): stable, n-1
//! comparisons for sorted input, some more for reversed one, and no worse than n·log2(n) ones. The comparisons are those of CPython 3.13, one by one, so that
//! keys without an order (NaN) come out as there. It moves indices, not items, so that an error in a comparison leaves a permutation.

use super::List;
use crate::heap::Ref;
use crate::objects::string::{Str, chunks};
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::rows::{Next, Row};
use crate::vm::{R, Vm};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

/// Runs of half as many items up to as many are made by insertion.
const MAX_MIN_RUN: usize = 64;

/// A merge gallops when one side has won this often in a row, and as long as it gets as far at once.
const MIN_GALLOP: usize = 7;

/// `list.sort(key=key, reverse=reverse)`
pub fn sort_list(vm: &mut Vm, list: &Ref<List>, key: Option<&Value>, reverse: bool) -> R<()> {
    // The list is empty while it is sorted, so that comparisons cannot see or spoil the work.
    let mut items = list.items.replace(vm, Vec::new());
    let result = sort_values(vm, &mut items, key, reverse);
    if key.is_some() {
        // Finalisers of the keys belong to the sorting: they may touch the list.
        vm.run_finalizers();
    }
    let meanwhile = list.items.replace(vm, items);
    let touched = meanwhile.capacity() > 0;
    super::let_go(meanwhile);
    result?;
    if touched {
        Err(vm.value_error("list modified during sort"))
    } else {
        Ok(())
    }
}

/// Sorts values in place; after an error they are in some order.
pub fn sort_values(
    vm: &mut Vm,
    items: &mut Vec<Value>,
    key: Option<&Value>,
    reverse: bool,
) -> R<()> {
    // Items once more for their keys, keys, indices and room to merge.
    if !crate::heap::can_allocate(items.len().saturating_mul(40)) {
        return Err(vm.memory_error());
    }
    let Some(key) = key else {
        if items.len() < 2 {
            return Ok(());
        }
        return match pure_order(items) {
            Some(Pure::Ints) => {
                items.sort_by(|a, b| {
                    directed(
                        a.small_int_unchecked().cmp(&b.small_int_unchecked()),
                        reverse,
                    )
                });
                Ok(())
            }
            Some(Pure::Texts) => {
                items.sort_by(|a, b| directed(chunks::order(text_of(a), text_of(b)), reverse));
                Ok(())
            }
            Some(Pure::Mixed) => {
                items.sort_by(|a, b| directed(compare_pure(a, b), reverse));
                Ok(())
            }
            None => {
                let order = sorted_order(vm, items, reverse);
                apply(items, &order.0);
                order.1
            }
        };
    };
    let row = Rc::new(RefCell::new(Keys {
        items: items.clone().into_iter(),
        keys: Vec::with_capacity(items.len()),
    }));
    vm.call_row(key, &row)?;
    let keys = std::mem::take(&mut row.borrow_mut().keys);
    if items.len() < 2 {
        return Ok(());
    }
    let mut result = Ok(());
    let order = match pure_order(&keys) {
        Some(Pure::Ints) => {
            let mut pairs: Vec<(i64, u32)> = keys
                .iter()
                .enumerate()
                .map(|(i, k)| (k.small_int_unchecked(), i as u32))
                .collect();
            pairs.sort_by(|a, b| directed(a.0.cmp(&b.0), reverse));
            pairs.into_iter().map(|(_, i)| i).collect()
        }
        Some(Pure::Texts) => {
            let mut pairs: Vec<(&[u8], u32)> = keys
                .iter()
                .enumerate()
                .map(|(i, k)| (text_of(k), i as u32))
                .collect();
            pairs.sort_by(|a, b| directed(chunks::order(a.0, b.0), reverse));
            pairs.into_iter().map(|(_, i)| i).collect()
        }
        Some(Pure::Mixed) => {
            let mut order: Vec<u32> = (0..keys.len() as u32).collect();
            order.sort_by(|&a, &b| {
                directed(compare_pure(&keys[a as usize], &keys[b as usize]), reverse)
            });
            order
        }
        None => {
            let (order, outcome) = sorted_order(vm, &keys, reverse);
            result = outcome;
            order
        }
    };
    apply(items, &order);
    result
}

/// The keys of items, as a function gives them.
struct Keys {
    items: std::vec::IntoIter<Value>,
    keys: Vec<Value>,
}

impl Row for Keys {
    fn next(&mut self, _: &mut Vm, result: Option<Value>) -> R<Next> {
        self.keys.extend(result);
        Ok(self.items.next().map_or(Next::End, Next::One))
    }
}

/// A descending sort keeps equal items in their order, too.
#[inline(always)]
fn directed(order: Ordering, reverse: bool) -> Ordering {
    if reverse { order.reverse() } else { order }
}

/// Brings items into the order of these indices, a permutation.
fn apply(items: &mut Vec<Value>, order: &[u32]) {
    let mut old = std::mem::take(items);
    items.extend(order.iter().map(|&i| old[i as usize].take()));
    old.clear();
}

// ---- comparisons that run no Python code

/// How keys can be compared without running Python code.
enum Pure {
    /// Inline integers.
    Ints,
    /// Exact `str`s.
    Texts,
    /// Numbers, or tuples of numbers, texts and such tuples, each comparable with each other.
    Mixed,
}

/// What a value is for a pure comparison. Values of the same shape can be compared; a tuple's items need not have the same shape as long as those that
/// meet do, which is checked column by column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Number,
    Text,
    Tuple,
}

fn shape_of(v: &Value) -> Option<Shape> {
    if v.is_small_int() || v.is_bool() {
        return Some(Shape::Number);
    }
    if let Some(f) = v.as_float() {
        // NaN has no place in an order.
        return (!f.is_nan()).then_some(Shape::Number);
    }
    if v.is_exact::<Str>() {
        return Some(Shape::Text);
    }
    v.is_exact::<Tuple>().then_some(Shape::Tuple)
}

fn pure_order(keys: &[Value]) -> Option<Pure> {
    if keys[0].is_small_int() && keys.iter().all(Value::is_small_int) {
        return Some(Pure::Ints);
    }
    if keys[0].is_exact::<Str>() {
        return keys
            .iter()
            .all(|k| k.is_exact::<Str>())
            .then_some(Pure::Texts);
    }
    same_shape(&mut keys.iter(), 0).then_some(Pure::Mixed)
}

/// Whether all values can be compared purely with each other.
fn same_shape<'a>(values: &mut (dyn Iterator<Item = &'a Value> + 'a), depth: usize) -> bool {
    let Some(first) = values.next() else {
        return true;
    };
    let Some(shape) = shape_of(first) else {
        return false;
    };
    let (Some(first), Shape::Tuple) = (first.as_exact::<Tuple>(), shape) else {
        for v in values {
            if shape_of(v) != Some(shape) {
                return false;
            }
        }
        return true;
    };
    let mut tuples = vec![first];
    for v in values {
        match v.as_exact::<Tuple>() {
            Some(t) => tuples.push(t),
            None => return false,
        }
    }
    let width = tuples.iter().map(|t| t.len()).max().unwrap_or(0);
    depth < 3
        && width <= 16
        && (0..width).all(|i| {
            same_shape(
                &mut tuples.iter().filter_map(|t| t.items().get(i)),
                depth + 1,
            )
        })
}

fn text_of(v: &Value) -> &[u8] {
    // The order of WTF-8 bytes is the order of code points.
    v.as_exact::<Str>().map_or(&[], |s| s.as_bytes())
}

fn number_of(v: &Value) -> f64 {
    // Inline integers have 50 bits, so they are exact as floats.
    v.as_small_int()
        .map(|i| i as f64)
        .or(v.as_float())
        .or(v.as_bool().map(|b| b as u8 as f64))
        .unwrap_or(0.0)
}

/// Compares values of the same shape.
fn compare_pure(a: &Value, b: &Value) -> Ordering {
    if Value::both_small_int(a, b) {
        return a.small_int_unchecked().cmp(&b.small_int_unchecked());
    }
    match (a.as_exact::<Tuple>(), b.as_exact::<Tuple>()) {
        (Some(a), Some(b)) => {
            let pairs = a.items().iter().zip(b.items());
            pairs
                .map(|(x, y)| compare_pure(x, y))
                .find(|o| o.is_ne())
                .unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        _ if a.is_exact::<Str>() => chunks::order(text_of(a), text_of(b)),
        _ => number_of(a)
            .partial_cmp(&number_of(b))
            .unwrap_or(Ordering::Equal),
    }
}

// ---- the merge sort

/// A run of sorted indices, and its place in the merge tree.
struct Run {
    start: usize,
    len: usize,
    power: u32,
}

/// The order of keys as indices. With an error comes the order as far as it got, a permutation all the same.
fn sorted_order(vm: &mut Vm, keys: &[Value], reverse: bool) -> (Vec<u32>, R<()>) {
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    if reverse {
        // Reversed before and after, so that equal items keep their order.
        order.reverse();
    }
    let mut sorter = Sorter {
        keys,
        order,
        spare: Vec::new(),
        min_gallop: MIN_GALLOP,
    };
    let result = sorter.run(vm);
    let mut order = sorter.order;
    if reverse {
        order.reverse();
    }
    (order, result)
}

struct Sorter<'a> {
    keys: &'a [Value],
    order: Vec<u32>,
    /// Room for the shorter half of a merge.
    spare: Vec<u32>,
    /// How often one side must win in a row until a merge looks for how far it goes on winning.
    min_gallop: usize,
}

/// `keys[a] < keys[b]`
#[inline]
fn less(vm: &mut Vm, keys: &[Value], a: u32, b: u32) -> R<bool> {
    vm.lt(&keys[a as usize], &keys[b as usize])
}

/// The length below which runs are made longer: so that `n` divided by it is a power of two, or a little less.
fn min_run(mut n: usize) -> usize {
    let mut rest = 0;
    while n >= MAX_MIN_RUN {
        rest |= n & 1;
        n >>= 1;
    }
    n + rest
}

impl Sorter<'_> {
    /// Whether the key at place `a` of the order is less than that at `b`.
    #[inline]
    fn less_at(&self, vm: &mut Vm, a: usize, b: usize) -> R<bool> {
        less(vm, self.keys, self.order[a], self.order[b])
    }

    fn run(&mut self, vm: &mut Vm) -> R<()> {
        let n = self.order.len();
        let shortest = min_run(n);
        let mut stack: Vec<Run> = Vec::new();
        let mut start = 0;
        while start < n {
            let mut len = self.count_run(vm, start)?;
            if len < shortest && start + len < n {
                let want = shortest.min(n - start);
                self.insert_more(vm, start, len, want)?;
                len = want;
            }
            if let Some(last) = stack.last() {
                let power = node_power(last.start, last.len, len, n);
                while stack.len() > 1 && stack[stack.len() - 2].power > power {
                    self.merge_top(vm, &mut stack)?;
                }
                if let Some(last) = stack.last_mut() {
                    last.power = power;
                }
            }
            stack.push(Run {
                start,
                len,
                power: 0,
            });
            start += len;
        }
        while stack.len() > 1 {
            // The smaller neighbour first.
            let at = stack.len() - 2;
            if at > 0 && stack[at - 1].len < stack[at + 1].len {
                let top = stack.pop();
                self.merge_top(vm, &mut stack)?;
                stack.extend(top);
            } else {
                self.merge_top(vm, &mut stack)?;
            }
        }
        Ok(())
    }

    /// Length of the run at `start`, which is ascending afterwards.
    ///
    /// A descending run may have equal items next to each other: they are turned around before the whole run is, so that they keep their order. What has
    /// been turned around goes on as an ascending run.
    fn count_run(&mut self, vm: &mut Vm, start: usize) -> R<usize> {
        let end = self.order.len();
        let mut at = start + 1;
        while at < end && !self.less_at(vm, at, at - 1)? {
            at += 1;
        }
        if at >= end {
            return Ok(end - start);
        }
        if at > start + 1 {
            if self.less_at(vm, start, at - 1)? {
                return Ok(at - start);
            }
            // All equal so far, and a descending run begins with them.
            self.order[start..at].reverse();
        }
        at += 1;
        // How many items before the last one are equal to it.
        let mut equal = 0;
        while at < end {
            if self.less_at(vm, at, at - 1)? {
                self.order[at - 1 - equal..at].reverse();
                equal = 0;
            } else if self.less_at(vm, at - 1, at)? {
                break;
            } else {
                equal += 1;
            }
            at += 1;
        }
        self.order[at - 1 - equal..at].reverse();
        self.order[start..at].reverse();
        while at < end && !self.less_at(vm, at, at - 1)? {
            at += 1;
        }
        Ok(at - start)
    }

    /// Sorts `order[start..start + want]`, of which the first `len` are sorted, by binary insertion.
    fn insert_more(&mut self, vm: &mut Vm, start: usize, len: usize, want: usize) -> R<()> {
        for at in start + len..start + want {
            let pivot = self.order[at];
            let (mut low, mut high) = (start, at);
            while low < high {
                let middle = low + (high - low) / 2;
                if less(vm, self.keys, pivot, self.order[middle])? {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            self.order[low..=at].rotate_right(1);
        }
        Ok(())
    }

    /// Merges the two runs on top of the stack.
    fn merge_top(&mut self, vm: &mut Vm, stack: &mut Vec<Run>) -> R<()> {
        let (Some(right), Some(left)) = (stack.pop(), stack.pop()) else {
            return Ok(());
        };
        stack.push(Run {
            start: left.start,
            len: left.len + right.len,
            power: right.power,
        });
        // What is at the ends of the result already need not be moved.
        let (from, border, to) = (left.start, right.start, right.start + right.len);
        let first = self.order[border];
        let skip = gallop(
            vm,
            self.keys,
            first,
            &self.order[from..border],
            0,
            Side::Right,
        )?;
        let from = from + skip;
        if from == border {
            return Ok(());
        }
        let last = self.order[border - 1];
        let rest = &self.order[border..to];
        let keep = gallop(vm, self.keys, last, rest, rest.len() - 1, Side::Left)?;
        if keep == 0 {
            return Ok(());
        }
        let mut spare = std::mem::take(&mut self.spare);
        spare.clear();
        let result = if border - from <= keep {
            self.merge_forwards(vm, &mut spare, from, border, border + keep)
        } else {
            self.merge_backwards(vm, &mut spare, from, border, border + keep)
        };
        self.spare = spare;
        result
    }

    /// Merges `order[from..border]`, the shorter run, with `order[border..to]`. The first of the second run comes first in the result, and the last of the
    /// first one last.
    fn merge_forwards(
        &mut self,
        vm: &mut Vm,
        spare: &mut Vec<u32>,
        from: usize,
        border: usize,
        to: usize,
    ) -> R<()> {
        spare.extend_from_slice(&self.order[from..border]);
        // What is left is `spare[i..]` and `order[j..to]`; the gap between `out` and `j` is as long as the former.
        let mut at = Forwards {
            i: 0,
            j: border + 1,
            out: from + 1,
        };
        self.order[from] = self.order[border];
        let result = self.merge_on(vm, spare, &mut at, to);
        let left = spare.len() - at.i;
        if result.is_ok() && left == 1 {
            // The last of the first run is greater than all that is left.
            self.order.copy_within(at.j..to, at.out);
            self.order[to - 1] = spare[at.i];
        } else {
            self.order[at.out..at.out + left].copy_from_slice(&spare[at.i..]);
        }
        result
    }

    fn merge_on(&mut self, vm: &mut Vm, spare: &[u32], at: &mut Forwards, to: usize) -> R<()> {
        let keys = self.keys;
        // Whether the merge is over: nothing is left of the second run, or one item of the first.
        let is_over = |at: &Forwards| at.j == to || at.i + 1 >= spare.len();
        if is_over(at) {
            return Ok(());
        }
        let mut min_gallop = self.min_gallop;
        loop {
            // How often the first run has won in a row, and the second.
            let (mut first, mut second) = (0, 0);
            loop {
                if less(vm, keys, self.order[at.j], spare[at.i])? {
                    self.order[at.out] = self.order[at.j];
                    at.j += 1;
                    (first, second) = (0, second + 1);
                } else {
                    self.order[at.out] = spare[at.i];
                    at.i += 1;
                    (first, second) = (first + 1, 0);
                }
                at.out += 1;
                if is_over(at) {
                    return Ok(());
                }
                if first.max(second) >= min_gallop {
                    break;
                }
            }
            min_gallop += 1;
            loop {
                min_gallop -= usize::from(min_gallop > 1);
                self.min_gallop = min_gallop;
                first = gallop(vm, keys, self.order[at.j], &spare[at.i..], 0, Side::Right)?;
                self.order[at.out..at.out + first].copy_from_slice(&spare[at.i..at.i + first]);
                (at.i, at.out) = (at.i + first, at.out + first);
                // (Nothing is left when the comparisons contradict each other.)
                if is_over(at) {
                    return Ok(());
                }
                self.order[at.out] = self.order[at.j];
                (at.j, at.out) = (at.j + 1, at.out + 1);
                if is_over(at) {
                    return Ok(());
                }
                second = gallop(vm, keys, spare[at.i], &self.order[at.j..to], 0, Side::Left)?;
                self.order.copy_within(at.j..at.j + second, at.out);
                (at.j, at.out) = (at.j + second, at.out + second);
                if at.j == to {
                    return Ok(());
                }
                self.order[at.out] = spare[at.i];
                (at.i, at.out) = (at.i + 1, at.out + 1);
                if is_over(at) {
                    return Ok(());
                }
                if first < MIN_GALLOP && second < MIN_GALLOP {
                    break;
                }
            }
            min_gallop += 1;
            self.min_gallop = min_gallop;
        }
    }

    /// As [`Self::merge_forwards`], from the end, for a second run that is shorter.
    fn merge_backwards(
        &mut self,
        vm: &mut Vm,
        spare: &mut Vec<u32>,
        from: usize,
        border: usize,
        to: usize,
    ) -> R<()> {
        spare.extend_from_slice(&self.order[border..to]);
        // What is left is `order[from..i]` and `spare[..j]`; the gap between `i` and `out` is as long as the latter.
        let mut at = Backwards {
            i: border - 1,
            j: spare.len(),
            out: to - 1,
        };
        self.order[to - 1] = self.order[border - 1];
        let result = self.merge_back(vm, spare, &mut at, from);
        if result.is_ok() && at.j == 1 {
            // The first of the second run is less than all that is left.
            self.order.copy_within(from..at.i, from + 1);
            self.order[from] = spare[0];
        } else {
            self.order[at.out - at.j..at.out].copy_from_slice(&spare[..at.j]);
        }
        result
    }

    fn merge_back(&mut self, vm: &mut Vm, spare: &[u32], at: &mut Backwards, from: usize) -> R<()> {
        let keys = self.keys;
        let is_over = |at: &Backwards| at.i == from || at.j <= 1;
        if is_over(at) {
            return Ok(());
        }
        let mut min_gallop = self.min_gallop;
        loop {
            let (mut first, mut second) = (0, 0);
            loop {
                if less(vm, keys, spare[at.j - 1], self.order[at.i - 1])? {
                    (at.i, at.out) = (at.i - 1, at.out - 1);
                    self.order[at.out] = self.order[at.i];
                    (first, second) = (first + 1, 0);
                } else {
                    (at.j, at.out) = (at.j - 1, at.out - 1);
                    self.order[at.out] = spare[at.j];
                    (first, second) = (0, second + 1);
                }
                if is_over(at) {
                    return Ok(());
                }
                if first.max(second) >= min_gallop {
                    break;
                }
            }
            min_gallop += 1;
            loop {
                min_gallop -= usize::from(min_gallop > 1);
                self.min_gallop = min_gallop;
                let run = &self.order[from..at.i];
                first =
                    run.len() - gallop(vm, keys, spare[at.j - 1], run, run.len() - 1, Side::Right)?;
                (at.i, at.out) = (at.i - first, at.out - first);
                self.order.copy_within(at.i..at.i + first, at.out);
                if at.i == from {
                    return Ok(());
                }
                (at.j, at.out) = (at.j - 1, at.out - 1);
                self.order[at.out] = spare[at.j];
                if is_over(at) {
                    return Ok(());
                }
                let run = &spare[..at.j];
                second = at.j - gallop(vm, keys, self.order[at.i - 1], run, at.j - 1, Side::Left)?;
                (at.j, at.out) = (at.j - second, at.out - second);
                self.order[at.out..at.out + second].copy_from_slice(&spare[at.j..at.j + second]);
                if is_over(at) {
                    return Ok(());
                }
                (at.i, at.out) = (at.i - 1, at.out - 1);
                self.order[at.out] = self.order[at.i];
                if is_over(at) {
                    return Ok(());
                }
                if first < MIN_GALLOP && second < MIN_GALLOP {
                    break;
                }
            }
            min_gallop += 1;
            self.min_gallop = min_gallop;
        }
    }
}

/// Where a merge from the front is: in the first run, in the second one, and in the result.
struct Forwards {
    i: usize,
    j: usize,
    out: usize,
}

/// The same from the end: each is behind what comes next.
struct Backwards {
    i: usize,
    j: usize,
    out: usize,
}

/// On which side of equal items a place is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// The place of a key in a run that is not empty, searched from `hint` on in steps that double, and then by halves.
fn gallop(vm: &mut Vm, keys: &[Value], key: u32, run: &[u32], hint: usize, side: Side) -> R<usize> {
    // Whether the key belongs behind the item at a place.
    let mut is_behind = |at: usize| match side {
        Side::Left => less(vm, keys, run[at], key),
        Side::Right => Ok(!less(vm, keys, key, run[at])?),
    };
    // The place is above `low` and at most `high`; both count from one.
    let (mut low, mut high);
    let (mut last, mut step) = (0, 1);
    if is_behind(hint)? {
        let most = run.len() - hint;
        while step < most && is_behind(hint + step)? {
            last = step;
            step = 2 * step + 1;
        }
        (low, high) = (hint + last + 1, hint + step.min(most));
    } else {
        let most = hint + 1;
        while step < most && !is_behind(hint - step)? {
            last = step;
            step = 2 * step + 1;
        }
        (low, high) = (hint + 1 - step.min(most), hint - last);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if is_behind(middle)? {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

/// Depth in the merge tree of the border between a run and the next one (powersort): the first binary digit in which the middles of the two runs, as
/// fractions of the whole, differ.
fn node_power(start: usize, len: usize, next_len: usize, n: usize) -> u32 {
    let n = n as u64;
    let (mut a, mut b) = (
        2 * start as u64 + len as u64,
        2 * start as u64 + 2 * len as u64 + next_len as u64,
    );
    let mut power = 0;
    loop {
        power += 1;
        if a >= n {
            a -= n;
            b -= n;
        } else if b >= n {
            return power;
        }
        a *= 2;
        b *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::node_power;

    #[test]
    fn powers_of_equal_runs_are_those_of_a_balanced_tree() {
        let powers: Vec<u32> = (0..7).map(|i| node_power(i * 8, 8, 8, 64)).collect();
        assert_eq!(powers, [3, 2, 3, 1, 3, 2, 3]);
    }
}
