//! Turns the tree of a pattern into a [`Program`].
//!
//! Every node is compiled knowing its `follow` set: what can come behind it on any path. Bodies of look-arounds
//! and atomic groups are left as soon as they match, whatever follows, so their follow set is everything.

use crate::ast::{Greed, Kind, Node, UNBOUNDED};
use crate::error::{Error, ErrorKind};
use crate::first::FirstSet;
use crate::program::{
    Guard, Look, Loop, Op, Pc, Program, Run, RunKind, Single, Split, Switch, Text,
};

/// Ways that one switch can hold.
const MAX_WAYS: usize = 64;

/// Instructions that a program may have: stacked ways keep the index in 28 bits.
const MAX_OPS: usize = 1 << 27;

/// Compiles the tree.
pub fn compile(root: &Node) -> Result<Program, Error> {
    let mut compiler = Compiler {
        program: Program::default(),
    };
    compiler.node(root, &FirstSet::ANYTHING)?;
    compiler.emit(Op::Accept);
    mark_leading_run(&mut compiler.program, root);
    if compiler.program.ops.len() > MAX_OPS {
        return Err(Error::plain(
            ErrorKind::Overflow,
            "regular expression code size limit exceeded",
        ));
    }
    Ok(compiler.program)
}

/// Whether the node refers to groups, so that its matching depends on more than the position.
fn has_references(node: &Node) -> bool {
    match &node.kind {
        Kind::Backref(..) | Kind::Cond { .. } => true,
        Kind::Seq(items) | Kind::Alt(items) => items.iter().any(has_references),
        Kind::Group(_, body) | Kind::Atomic(body) => has_references(body),
        Kind::Repeat { body, .. } | Kind::Look { body, .. } => has_references(body),
        _ => false,
    }
}

/// If the pattern begins with an unbounded run, a failure at one character of the run is a failure at all of
/// them: a later start leaves the rest of the pattern no place that was not tried already.
fn mark_leading_run(program: &mut Program, root: &Node) {
    let lead = program.ops.iter().find(|op| !matches!(op, Op::Open(_)));
    if let Some(Op::Run(run)) = lead
        && !has_references(root)
        && let run = &mut program.runs[*run as usize]
        && run.kind != RunKind::Lazy
        && run.max == UNBOUNDED
    {
        run.leading = true;
    }
}

struct Compiler {
    program: Program,
}

/// Adds to a table and returns the index.
fn add<T>(table: &mut Vec<T>, item: T) -> u32 {
    table.push(item);
    table.len() as u32 - 1
}

impl Compiler {
    fn emit(&mut self, op: Op) -> Pc {
        add(&mut self.program.ops, op)
    }

    fn here(&self) -> Pc {
        self.program.ops.len() as Pc
    }

    fn node(&mut self, node: &Node, follow: &FirstSet) -> Result<(), Error> {
        match &node.kind {
            Kind::Char(_) | Kind::Set(_) | Kind::AnyButNewline | Kind::AnyChar => {
                let op = match self.single(node) {
                    Single::Char(c) => Op::Char(c),
                    Single::AnyButNewline => Op::AnyButNewline,
                    Single::AnyChar => Op::AnyChar,
                    Single::Set(class) => Op::Set(class),
                };
                self.emit(op);
            }
            Kind::At(at) => {
                self.emit(Op::At(*at));
            }
            Kind::Seq(items) => self.seq(items, follow)?,
            Kind::Alt(branches) => self.alt(branches, follow)?,
            Kind::Group(group, body) => {
                self.emit(Op::Open(*group));
                self.node(body, follow)?;
                self.emit(Op::Close(*group));
            }
            Kind::Atomic(body) => self.atomic(body)?,
            Kind::Repeat {
                min,
                max,
                greed,
                body,
            } => self.repeat(*min, *max, *greed, body, follow)?,
            Kind::Look {
                behind,
                negated,
                body,
            } => self.look(*behind, *negated, body)?,
            Kind::Backref(group, fold) => {
                self.emit(Op::Backref(*group, *fold));
            }
            Kind::Cond { group, yes, no } => {
                let cond = self.emit(Op::Fail);
                self.node(yes, follow)?;
                let mut target = self.here();
                if let Some(no) = no {
                    let jump = self.emit(Op::Fail);
                    target = self.here();
                    self.node(no, follow)?;
                    self.program.ops[jump as usize] = Op::Jump(self.here());
                }
                self.program.ops[cond as usize] = Op::Cond {
                    group: *group,
                    no: target,
                };
            }
            Kind::Fail => {
                self.emit(Op::Fail);
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn single(&mut self, node: &Node) -> Single {
        match &node.kind {
            Kind::Char(c) => Single::Char(*c),
            Kind::AnyButNewline => Single::AnyButNewline,
            Kind::Set(class) => Single::Set(add(&mut self.program.classes, (**class).clone())),
            _ => Single::AnyChar,
        }
    }

    #[inline(never)]
    fn seq(&mut self, items: &[Node], follow: &FirstSet) -> Result<(), Error> {
        let follows = follow_sets(items, follow);
        let mut at = 0;
        while at < items.len() {
            let text: Vec<u32> = items[at..].iter().map_while(literal).collect();
            if text.len() > 1 {
                let index = add(&mut self.program.texts, Text::new(&text));
                self.emit(Op::Text(index));
                at += text.len();
            } else {
                self.node(&items[at], &follows[at])?;
                at += 1;
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn alt(&mut self, branches: &[Node], follow: &FirstSet) -> Result<(), Error> {
        let mut jumps = Vec::new();
        self.ways(branches, follow, &mut jumps)?;
        let end = self.here();
        for jump in jumps {
            self.program.ops[jump as usize] = Op::Jump(end);
        }
        Ok(())
    }

    /// Switches over the branches; with too many for one, its last way is a switch over the rest.
    #[inline(never)]
    fn ways(
        &mut self,
        branches: &[Node],
        follow: &FirstSet,
        jumps: &mut Vec<Pc>,
    ) -> Result<(), Error> {
        let sets = branch_sets(branches, follow);
        let mut done = 0;
        while done < branches.len() {
            let left = branches.len() - done;
            let direct = if left <= MAX_WAYS { left } else { MAX_WAYS - 1 };
            let op = self.emit(Op::Fail);
            let mut ways = Vec::with_capacity(direct + 1);
            for branch in &branches[done..done + direct] {
                ways.push(self.here());
                self.node(branch, follow)?;
                jumps.push(self.emit(Op::Fail));
            }
            if direct < left {
                ways.push(self.here());
            }
            self.switch(op, ways, &sets[done..]);
            done += direct;
        }
        Ok(())
    }

    #[inline(never)]
    fn atomic(&mut self, body: &Node) -> Result<(), Error> {
        if body.is_single() {
            return self.node(body, &FirstSet::ANYTHING);
        }
        self.emit(Op::Atomic);
        self.node(body, &FirstSet::ANYTHING)?;
        self.emit(Op::AtomicEnd);
        Ok(())
    }

    #[inline(never)]
    fn look(&mut self, behind: bool, negated: bool, body: &Node) -> Result<(), Error> {
        let mut distance = 0;
        if behind {
            distance = match u32::try_from(body.width.min) {
                Ok(distance) => distance,
                Err(_) => return Err(Error::plain(ErrorKind::Pattern, "looks too much behind")),
            };
            if body.width.min != body.width.max {
                let msg = "look-behind requires fixed-width pattern";
                return Err(Error::plain(ErrorKind::Pattern, msg));
            }
        }
        let op = self.emit(Op::Fail);
        self.node(body, &FirstSet::ANYTHING)?;
        self.emit(if negated { Op::NotLookEnd } else { Op::LookEnd });
        let look = Look {
            behind: distance,
            negated,
            end: self.here(),
        };
        self.program.ops[op as usize] = Op::Look(add(&mut self.program.looks, look));
        Ok(())
    }

    #[inline(never)]
    fn repeat(
        &mut self,
        min: u32,
        max: u32,
        greed: Greed,
        body: &Node,
        follow: &FirstSet,
    ) -> Result<(), Error> {
        let check = body;
        match (min, max) {
            (_, 0) => {
                // Never entered, but its errors count.
                let mut aside = Compiler {
                    program: Program::default(),
                };
                return aside.node(check, follow);
            }
            (1, 1) if greed != Greed::Possessive => return self.node(body, follow),
            (1, 1) => return self.atomic(body),
            _ => {}
        }
        if body.is_single() {
            self.run(min, max, greed, body, follow);
            return Ok(());
        }
        if greed == Greed::Possessive {
            self.emit(Op::Atomic);
            self.general(min, max, greed, body, &FirstSet::ANYTHING)?;
            self.emit(Op::AtomicEnd);
            return Ok(());
        }
        self.general(min, max, greed, body, follow)
    }

    /// A quantifier over one character.
    fn run(&mut self, min: u32, max: u32, greed: Greed, body: &Node, follow: &FirstSet) {
        let kind = match greed {
            Greed::Possessive => RunKind::Possessive,
            _ if min == max => RunKind::Possessive,
            // A character given back cannot begin what follows.
            Greed::Greedy if body.first.set.disjoint(follow) => RunKind::Possessive,
            Greed::Greedy => RunKind::Greedy,
            Greed::Lazy => RunKind::Lazy,
        };
        let single = self.single(body);
        let next = (kind != RunKind::Possessive && !follow.is_everything())
            .then(|| Box::new(follow.clone()));
        let run = Run {
            single,
            min,
            max,
            kind,
            next,
            leading: false,
        };
        let run = add(&mut self.program.runs, run);
        self.emit(Op::Run(run));
    }

    /// A quantifier over anything else. A possessive one is inside an atomic group already.
    #[inline(never)]
    fn general(
        &mut self,
        min: u32,
        max: u32,
        greed: Greed,
        body: &Node,
        follow: &FirstSet,
    ) -> Result<(), Error> {
        let possessive = greed == Greed::Possessive;
        let greedy = greed != Greed::Lazy;
        let body_first = body.first.then(follow);
        if (min, max) == (0, 1) {
            let op = self.emit(Op::Fail);
            self.iteration(possessive, body, follow)?;
            self.round(op, greedy, (op + 1, &body_first), (self.here(), follow));
            return Ok(());
        }
        let body_follow = body_first.union(follow);
        let start = self.here();
        if max != UNBOUNDED || min > 1 || body.width.min == 0 {
            let index = self.counted(min, max, greedy, &body_first, follow);
            self.iteration(possessive, body, &body_follow)?;
            self.program.loops[index as usize].next = self.emit(Op::LoopNext(index));
        } else if min == 0 {
            // No iteration can be empty, so none need be counted.
            let op = self.emit(Op::Fail);
            self.iteration(possessive, body, &body_follow)?;
            self.emit(Op::Jump(start));
            self.round(op, greedy, (op + 1, &body_first), (self.here(), follow));
        } else {
            self.iteration(possessive, body, &body_follow)?;
            let op = self.emit(Op::Fail);
            self.round(op, greedy, (start, &body_first), (op + 1, follow));
        }
        Ok(())
    }

    fn iteration(&mut self, possessive: bool, body: &Node, follow: &FirstSet) -> Result<(), Error> {
        if possessive {
            self.atomic(body)
        } else {
            self.node(body, follow)
        }
    }

    // What follows is kept out of the recursive functions, whose stack frames would have room for its tables.

    /// Makes `op` the choice between another round and the way out.
    #[inline(never)]
    fn round(&mut self, op: Pc, greedy: bool, body: (Pc, &FirstSet), exit: (Pc, &FirstSet)) {
        let (first, second) = if greedy { (body, exit) } else { (exit, body) };
        self.split(op, first, second);
    }

    /// Makes `op` the choice between two ways.
    #[inline(never)]
    fn split(&mut self, op: Pc, first: (Pc, &FirstSet), second: (Pc, &FirstSet)) {
        let guard = Guard::new(first.1, second.1);
        let split = Split {
            first: first.0,
            second: second.0,
            guard,
        };
        self.program.ops[op as usize] = Op::Split(add(&mut self.program.splits, split));
    }

    /// Makes `op` the choice between ways that begin with the given sets; the last way has all sets left.
    #[inline(never)]
    fn switch(&mut self, op: Pc, ways: Vec<Pc>, sets: &[FirstSet]) {
        let (own, rest) = sets.split_at(ways.len() - 1);
        let mut own = own.to_vec();
        own.push(
            rest.iter()
                .fold(FirstSet::NOTHING, |all, set| all.union(set)),
        );
        match (&ways[..], &own[..]) {
            ([only], _) => self.program.ops[op as usize] = Op::Jump(*only),
            ([first, second], [a, b]) => self.split(op, (*first, a), (*second, b)),
            _ => {
                let switch = switch(ways, &own);
                self.program.ops[op as usize] = Op::Switch(add(&mut self.program.switches, switch));
            }
        }
    }

    /// Begins a counted loop; its end is to be filled in.
    #[inline(never)]
    fn counted(
        &mut self,
        min: u32,
        max: u32,
        greedy: bool,
        body: &FirstSet,
        exit: &FirstSet,
    ) -> u32 {
        let index = self.program.loops.len() as u32;
        let op = self.emit(Op::LoopStart(index));
        let guard = Guard::new(body, exit);
        self.program.loops.push(Loop {
            min,
            max,
            greedy,
            body: op + 1,
            next: op,
            guard,
        });
        index
    }
}

/// What can come behind each item of a sequence.
#[inline(never)]
fn follow_sets(items: &[Node], follow: &FirstSet) -> Vec<FirstSet> {
    let mut follows = vec![follow.clone()];
    for item in items.iter().skip(1).rev() {
        let next = item.first.then(&follows[follows.len() - 1]);
        follows.push(next);
    }
    follows.reverse();
    follows
}

#[inline(never)]
fn branch_sets(branches: &[Node], follow: &FirstSet) -> Vec<FirstSet> {
    branches
        .iter()
        .map(|branch| branch.first.then(follow))
        .collect()
}

fn literal(node: &Node) -> Option<u32> {
    match node.kind {
        Kind::Char(c) => Some(c),
        _ => None,
    }
}

fn switch(ways: Vec<Pc>, sets: &[FirstSet]) -> Switch {
    let mask = |test: &dyn Fn(&FirstSet) -> bool| {
        sets.iter()
            .enumerate()
            .fold(0, |mask, (i, set)| mask | u64::from(test(set)) << i)
    };
    let mut masks = Vec::new();
    let mut table = [0; 256];
    for (c, entry) in table.iter_mut().enumerate() {
        let ways = mask(&|set| set.has(c as u32));
        let index = masks
            .iter()
            .position(|&known| known == ways)
            .unwrap_or_else(|| {
                masks.push(ways);
                masks.len() - 1
            });
        *entry = index as u8;
    }
    Switch {
        ways,
        table,
        masks,
        wide: mask(&|set| set.atoms.0 != 0),
        end: mask(&|set| set.at_end),
    }
}
