//! Sorting: `list.sort` and `sorted`.
//!
//! Keys that compare without running Python code (texts, numbers, tuples of them) are sorted by the standard library's stable sort. Everything else goes
//! through a merge sort that takes the runs it finds (Peters, "listsort.txt", 2002), extends short ones by binary insertion and merges in the order
//! of powersort (Munro and Wild, "Nearly-optimal mergesorts", 2018): stable, n-1 comparisons for sorted and for reversed input, and no worse than
//! n·log2(n) ones. It moves indices, not items, so that an error in a comparison leaves a permutation.

use super::List;
use crate::heap::Ref;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::rows::{Next, Row};
use crate::vm::{R, Vm};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

/// Runs shorter than this are made longer by insertion.
const MIN_RUN: usize = 32;

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
                items.sort_by(|a, b| directed(text_of(a).cmp(text_of(b)), reverse));
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
            pairs.sort_by(|a, b| directed(a.0.cmp(b.0), reverse));
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
        _ if a.is_exact::<Str>() => text_of(a).cmp(text_of(b)),
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
    /// Room for the left half of a merge.
    spare: Vec<u32>,
}

impl Sorter<'_> {
    /// `keys[a] < keys[b]`
    #[inline]
    fn less(&self, vm: &mut Vm, a: u32, b: u32) -> R<bool> {
        vm.lt(&self.keys[a as usize], &self.keys[b as usize])
    }

    fn run(&mut self, vm: &mut Vm) -> R<()> {
        let n = self.order.len();
        let mut stack: Vec<Run> = Vec::new();
        let mut start = 0;
        while start < n {
            let mut len = self.count_run(vm, start)?;
            if len < MIN_RUN && start + len < n {
                let want = MIN_RUN.min(n - start);
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
            self.merge_top(vm, &mut stack)?;
        }
        Ok(())
    }

    /// Length of the run at `start`; a strictly descending one is turned around.
    fn count_run(&mut self, vm: &mut Vm, start: usize) -> R<usize> {
        let n = self.order.len();
        let mut end = start + 1;
        if end == n {
            return Ok(1);
        }
        let descending = self.less(vm, self.order[end], self.order[end - 1])?;
        end += 1;
        while end < n && self.less(vm, self.order[end], self.order[end - 1])? == descending {
            end += 1;
        }
        if descending {
            self.order[start..end].reverse();
        }
        Ok(end - start)
    }

    /// Sorts `order[start..start + want]`, of which the first `len` are sorted, by binary insertion.
    fn insert_more(&mut self, vm: &mut Vm, start: usize, len: usize, want: usize) -> R<()> {
        for at in start + len..start + want {
            let pivot = self.order[at];
            let (mut low, mut high) = (start, at);
            while low < high {
                let middle = low + (high - low) / 2;
                if self.less(vm, pivot, self.order[middle])? {
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
        let merged = Run {
            start: left.start,
            len: left.len + right.len,
            power: right.power,
        };
        // What is at the ends of the result already need not be moved.
        let first_right = self.order[right.start];
        let skip = self.gallop(
            vm,
            left.start,
            left.len,
            |s, vm, x| s.less(vm, first_right, x),
            true,
        )?;
        let (start, len) = (left.start + skip, left.len - skip);
        if len > 0 {
            let last_left = self.order[right.start - 1];
            let keep = self.gallop(
                vm,
                right.start,
                right.len,
                |s, vm, x| Ok(!s.less(vm, x, last_left)?),
                false,
            )?;
            self.merge(vm, start, len, keep)?;
        }
        stack.push(merged);
        Ok(())
    }

    /// Number of leading indices of a run for which `past` is false, found by doubling steps from the front (or the back).
    fn gallop(
        &self,
        vm: &mut Vm,
        start: usize,
        len: usize,
        past: impl Fn(&Self, &mut Vm, u32) -> R<bool>,
        from_front: bool,
    ) -> R<usize> {
        let (mut low, mut high) = (0, len);
        let mut step = 1;
        while step < len {
            let probe = if from_front { step - 1 } else { len - step };
            let is_past = past(self, vm, self.order[start + probe])?;
            if from_front {
                if is_past {
                    high = probe;
                    break;
                }
                low = probe + 1;
            } else {
                if !is_past {
                    low = probe + 1;
                    break;
                }
                high = probe;
            }
            step *= 2;
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if past(self, vm, self.order[start + middle])? {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(low)
    }

    /// Merges `left` indices at `start` with the `right` ones behind them.
    fn merge(&mut self, vm: &mut Vm, start: usize, left: usize, right: usize) -> R<()> {
        let mut spare = std::mem::take(&mut self.spare);
        spare.clear();
        spare.extend_from_slice(&self.order[start..start + left]);
        let (mut i, mut j, mut out) = (0, start + left, start);
        let end = start + left + right;
        let mut result = Ok(());
        while i < left && j < end {
            match self.less(vm, self.order[j], spare[i]) {
                Ok(true) => {
                    self.order[out] = self.order[j];
                    j += 1;
                }
                Ok(false) => {
                    self.order[out] = spare[i];
                    i += 1;
                }
                Err(raised) => {
                    result = Err(raised);
                    break;
                }
            }
            out += 1;
        }
        // The gap between `out` and `j` is as long as what is left of `spare`.
        self.order[out..out + left - i].copy_from_slice(&spare[i..]);
        self.spare = spare;
        result
    }
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
