//! Turns the tree of a pattern into a [`Program`].
//!
//! Every node is compiled knowing its `follow` set: what can come behind it on any path. Bodies of look-arounds
//! and atomic groups are left as soon as they match, whatever follows, so their follow set is everything.

use crate::ast::{At, Greed, Kind, Node, UNBOUNDED};
use crate::error::{Error, ErrorKind};
use crate::first::{First, FirstSet};
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

/// What the node can begin with.
pub fn first(node: &Node) -> First {
    let one = |set| First {
        set,
        transparent: false,
    };
    let transparent = || First {
        set: FirstSet::NOTHING,
        transparent: true,
    };
    match &node.kind {
        Kind::Char(c) => one(FirstSet::of_char(*c)),
        Kind::Set(class) => one(FirstSet::of_class(class)),
        Kind::AnyButNewline => one(FirstSet::not_newline()),
        Kind::AnyChar => one(FirstSet::ANY_CHAR),
        Kind::At(At::End) => one(FirstSet::end(false)),
        Kind::At(At::EndOrNewline | At::LineEnd) => one(FirstSet::end(true)),
        Kind::At(_) | Kind::Look { .. } => transparent(),
        Kind::Seq(items) => {
            let mut set = FirstSet::NOTHING;
            for item in items {
                let item = first(item);
                set = set.union(&item.set);
                if !item.transparent {
                    return one(set);
                }
            }
            First {
                set,
                transparent: true,
            }
        }
        Kind::Alt(branches) => {
            let mut all = First {
                set: FirstSet::NOTHING,
                transparent: false,
            };
            for branch in branches {
                let branch = first(branch);
                all.set = all.set.union(&branch.set);
                all.transparent |= branch.transparent;
            }
            all
        }
        Kind::Group(_, body) | Kind::Atomic(body) => first(body),
        Kind::Repeat { max: 0, .. } => transparent(),
        Kind::Repeat { min, body, .. } => {
            let mut body = first(body);
            body.transparent |= *min == 0;
            body
        }
        Kind::Backref(..) => one(FirstSet::ANYTHING),
        Kind::Cond { yes, no, .. } => {
            let mut both = first(yes);
            match no {
                Some(no) => {
                    let no = first(no);
                    both.set = both.set.union(&no.set);
                    both.transparent |= no.transparent;
                }
                None => both.transparent = true,
            }
            both
        }
        Kind::Fail => one(FirstSet::NOTHING),
    }
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

    fn single(&mut self, node: &Node) -> Single {
        match &node.kind {
            Kind::Char(c) => Single::Char(*c),
            Kind::AnyButNewline => Single::AnyButNewline,
            Kind::Set(class) => Single::Set(add(&mut self.program.classes, (**class).clone())),
            _ => Single::AnyChar,
        }
    }

    fn seq(&mut self, items: &[Node], follow: &FirstSet) -> Result<(), Error> {
        // follows[i] is what can come behind item i.
        let mut follows = vec![follow.clone()];
        for item in items.iter().skip(1).rev() {
            let next = first(item).then(&follows[follows.len() - 1]);
            follows.push(next);
        }
        follows.reverse();
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

    fn alt(&mut self, branches: &[Node], follow: &FirstSet) -> Result<(), Error> {
        let mut jumps = Vec::new();
        self.ways(branches, follow, &mut jumps)?;
        let end = self.here();
        for jump in jumps {
            self.program.ops[jump as usize] = Op::Jump(end);
        }
        Ok(())
    }

    /// A switch over the branches; with too many of them, its last way is a switch over the rest.
    fn ways(
        &mut self,
        branches: &[Node],
        follow: &FirstSet,
        jumps: &mut Vec<Pc>,
    ) -> Result<(), Error> {
        if let [only] = branches {
            self.node(only, follow)?;
            return Ok(());
        }
        let fits = branches.len() <= MAX_WAYS;
        let (direct, rest) = branches.split_at(if fits { branches.len() } else { MAX_WAYS - 1 });
        let mut sets: Vec<FirstSet> = direct
            .iter()
            .map(|branch| first(branch).then(follow))
            .collect();
        if !fits {
            let set = rest.iter().fold(FirstSet::NOTHING, |set, branch| {
                set.union(&first(branch).then(follow))
            });
            sets.push(set);
        }
        let op = self.emit(Op::Fail);
        let mut ways = Vec::with_capacity(sets.len());
        for (i, branch) in direct.iter().enumerate() {
            ways.push(self.here());
            self.node(branch, follow)?;
            if i + 1 < direct.len() || !fits {
                jumps.push(self.emit(Op::Fail));
            }
        }
        if !fits {
            ways.push(self.here());
            self.ways(rest, follow, jumps)?;
        }
        self.program.ops[op as usize] = if let ([first, second], [a, b]) = (&ways[..], &sets[..]) {
            let split = Split {
                first: *first,
                second: *second,
                guard: Guard::new(a, b),
            };
            Op::Split(add(&mut self.program.splits, split))
        } else {
            Op::Switch(add(&mut self.program.switches, switch(ways, &sets)))
        };
        Ok(())
    }

    fn atomic(&mut self, body: &Node) -> Result<(), Error> {
        if body.is_single() {
            return self.node(body, &FirstSet::ANYTHING);
        }
        self.emit(Op::Atomic);
        self.node(body, &FirstSet::ANYTHING)?;
        self.emit(Op::AtomicEnd);
        Ok(())
    }

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
            Greed::Greedy if first(body).set.disjoint(follow) => RunKind::Possessive,
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
        let body_first = first(body).then(follow);
        let body_follow = body_first.union(follow);
        let emit_body = |this: &mut Compiler| {
            if possessive {
                this.atomic(body)
            } else {
                this.node(body, &body_follow)
            }
        };
        let guard = |this: &mut Compiler, body: Pc, exit: Pc| {
            let split = if greedy {
                Split {
                    first: body,
                    second: exit,
                    guard: Guard::new(&body_first, follow),
                }
            } else {
                Split {
                    first: exit,
                    second: body,
                    guard: Guard::new(follow, &body_first),
                }
            };
            Op::Split(add(&mut this.program.splits, split))
        };
        if (min, max) == (0, 1) {
            let op = self.emit(Op::Fail);
            if possessive {
                self.atomic(body)?
            } else {
                self.node(body, follow)?
            }
            self.program.ops[op as usize] = guard(self, op + 1, self.here());
        } else if max == UNBOUNDED && min <= 1 && body.width.min > 0 {
            // No iteration can be empty, so none need be counted.
            let start = self.here();
            if min == 0 {
                let op = self.emit(Op::Fail);
                emit_body(self)?;
                self.emit(Op::Jump(start));
                self.program.ops[op as usize] = guard(self, op + 1, self.here());
            } else {
                emit_body(self)?;
                let op = self.emit(Op::Fail);
                self.program.ops[op as usize] = guard(self, start, op + 1);
            }
        } else {
            let index = add(
                &mut self.program.loops,
                Loop {
                    min,
                    max,
                    greedy,
                    body: 0,
                    next: 0,
                    guard: Guard::new(&body_first, follow),
                },
            );
            self.emit(Op::LoopStart(index));
            let start = self.here();
            emit_body(self)?;
            let next = self.emit(Op::LoopNext(index));
            let counted = &mut self.program.loops[index as usize];
            counted.body = start;
            counted.next = next;
        }
        Ok(())
    }
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
