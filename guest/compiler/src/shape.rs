//! What the operands of each instruction mean, for the disassembler and the validator.

use crate::op::{Instr, Intrinsic, KA, KB, KC, Op};

/// The role of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Unused,
    /// A register that is written.
    Write,
    /// A register that is read.
    Read,
    /// A register that is read and written.
    Update,
    /// A register, or a constant when the flag is set.
    ReadOrConst(u8),
    /// The first of some registers that are read.
    Block(u16),
    /// The first of some registers that are written.
    WriteBlock(u16),
    /// A constant that is a `str`.
    Name,
    /// Code among the constants.
    Code,
    /// An inline cache.
    Cache,
    /// A closure cell.
    Free,
    /// A plain number.
    Number,
}

/// Whether the jump distance is in the `Ext` word.
pub(crate) fn jumps_by_ext(op: Op) -> bool {
    matches!(
        op,
        Op::JumpLt
            | Op::JumpLe
            | Op::JumpEq
            | Op::JumpNe
            | Op::JumpGt
            | Op::JumpGe
            | Op::JumpIs
            | Op::JumpIn
            | Op::ForIter
    )
}

/// Whether the instruction jumps by its own immediate.
pub(crate) fn jumps_by_imm(op: Op) -> bool {
    matches!(
        op,
        Op::Jump | Op::JumpIfTrue | Op::JumpIfFalse | Op::JumpIfNone | Op::JumpIfNotNone
    )
}

/// Whether an `Ext` word follows.
pub(crate) fn has_ext(instr: Instr) -> bool {
    jumps_by_ext(instr.op)
        || matches!(instr.op, Op::LoadFromOrFree | Op::CallKw | Op::MatchClass)
        || instr.op == Op::FormatValue && instr.c & 4 != 0
}

/// Whether execution never goes on behind the instruction.
pub(crate) fn ends(op: Op) -> bool {
    matches!(op, Op::Jump | Op::Return | Op::Raise | Op::Reraise)
}

/// The index of the constant that is the name an instruction looks up in a namespace.
pub fn name_operand(instr: Instr) -> Option<u16> {
    let [a, b, c] = roles(instr);
    [(a, instr.a), (b, instr.b), (c, instr.c)]
        .into_iter()
        .find(|(role, _)| *role == Role::Name)
        .map(|(_, index)| index)
}

/// The roles of `a`, `b` and `c`.
pub(crate) fn roles(instr: Instr) -> [Role; 3] {
    use Role::{
        Block, Cache, Code, Free, Name, Number, Read, ReadOrConst, Unused, Update, Write,
        WriteBlock,
    };
    let rk_b = ReadOrConst(KB);
    let rk_c = ReadOrConst(KC);
    match instr.op {
        Op::Nop | Op::Ext | Op::Jump => [Unused, Unused, Unused],
        Op::Move | Op::Take => [Write, Read, Unused],
        Op::LoadConst => [Write, Unused, Unused],
        Op::Clear => [WriteBlock(instr.b), Number, Unused],
        Op::CheckBound | Op::DelLocal | Op::CountLoop => [Read, Unused, Unused],
        Op::MakeCell => [Update, Unused, Unused],
        Op::LoadCell => [Write, Read, Unused],
        Op::StoreCell => [Read, rk_b, Unused],
        Op::DelCell => [Read, Unused, Unused],
        Op::LoadFree => [Write, Free, Unused],
        Op::StoreFree => [Free, rk_b, Unused],
        Op::DelFree => [Free, Unused, Unused],
        Op::LoadGlobal => [Write, Cache, Unused],
        Op::StoreGlobal => [Unused, rk_b, Cache],
        Op::DelGlobal => [Unused, Cache, Unused],
        Op::LoadName => [Write, Name, Unused],
        Op::StoreName => [Name, rk_b, Unused],
        Op::DelName => [Name, Unused, Unused],
        Op::LoadNameOrFree => [Write, Name, Free],
        Op::LoadFromOrGlobal | Op::LoadFromOrFree => [Write, Read, Name],
        Op::LoadLocals => [Write, Unused, Unused],
        Op::LoadAttr => [Write, Read, Cache],
        Op::LoadMethod => [WriteBlock(2), Read, Cache],
        Op::StoreAttr => [Read, rk_b, Cache],
        Op::DelAttr => [Read, Unused, Cache],
        Op::LoadSuperAttr => [Write, Block(3), Cache],
        Op::LoadSuperMethod => [WriteBlock(2), Block(3), Cache],
        Op::Subscr => [Write, Read, rk_c],
        Op::StoreSubscr => [Read, rk_b, rk_c],
        Op::DelSubscr => [Read, rk_b, Unused],
        Op::LoadSlice => [Write, Read, Block(2)],
        Op::StoreSlice => [Read, Read, Block(2)],
        Op::BuildSlice => [Write, Block(3), Unused],
        Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Div
        | Op::FloorDiv
        | Op::Mod
        | Op::Pow
        | Op::MatMul
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Shl
        | Op::Shr
        | Op::Lt
        | Op::Le
        | Op::Eq
        | Op::Ne
        | Op::Gt
        | Op::Ge
        | Op::Is
        | Op::IsNot
        | Op::In
        | Op::NotIn => [Write, rk_b, rk_c],
        Op::AddInt | Op::SubInt => [Write, Read, Number],
        Op::Neg | Op::Pos | Op::Invert | Op::Not => [Write, Read, Unused],
        Op::JumpIfTrue | Op::JumpIfFalse | Op::JumpIfNone | Op::JumpIfNotNone => {
            [Read, Unused, Unused]
        }
        Op::JumpLt
        | Op::JumpLe
        | Op::JumpEq
        | Op::JumpNe
        | Op::JumpGt
        | Op::JumpGe
        | Op::JumpIs
        | Op::JumpIn => [ReadOrConst(KA), rk_b, Unused],
        Op::GetIter | Op::GetAIter => [Write, Read, Unused],
        Op::ForIter => [Write, Update, Unused],
        Op::GetANext => [Write, Read, Unused],
        Op::EndAsyncFor => [Update, Unused, Unused],
        Op::Call => [Write, Block(instr.c.saturating_add(2)), Number],
        Op::CallKw => [Write, Block(instr.c.saturating_add(2)), Number],
        Op::CallEx => [Write, Block(4), Unused],
        Op::Return => [ReadOrConst(KA), Number, Unused],
        Op::BuildTuple | Op::BuildList | Op::BuildSet | Op::BuildString => {
            [Write, Block(instr.c), Number]
        }
        Op::BuildDict => [Write, Block(instr.c.saturating_mul(2)), Number],
        Op::ListAppend | Op::SetAdd => [Read, rk_b, Unused],
        Op::ListExtend if instr.x & KC != 0 => [Read, Read, Read],
        Op::ListExtend | Op::SetUpdate | Op::DictUpdate => [Read, Read, Unused],
        Op::ListToTuple => [Write, Read, Unused],
        Op::StarArgs => [Write, Read, Read],
        Op::DictSet => [Read, rk_b, rk_c],
        Op::DictMerge => [Read, Read, Read],
        Op::Unpack => [WriteBlock(instr.c), Read, Number],
        Op::UnpackEx => [
            WriteBlock((instr.c & 255) + (instr.c >> 8) + 1),
            Read,
            Number,
        ],
        Op::FormatValue => [Write, Read, Number],
        Op::BuildInterpolation => [Write, Block(4), Unused],
        Op::BuildTemplate => [Write, Block(2), Unused],
        Op::MakeFunction => {
            let count = match instr.x {
                0 => 0,
                1 => 1,
                2 | 3 => 2,
                _ => 3,
            };
            [Write, Code, if count == 0 { Unused } else { Block(count) }]
        }
        Op::LoadBuildClass | Op::LoadAssertionError => [Write, Unused, Unused],
        Op::Import => [Write, Name, Block(2)],
        Op::ImportFrom => [Write, Read, Name],
        Op::ImportStar => [Read, Unused, Unused],
        Op::Raise => match instr.c {
            0 => [Unused, Unused, Number],
            1 => [Read, Unused, Number],
            _ => [Read, Read, Number],
        },
        Op::Reraise | Op::PopExc => [Read, Unused, Unused],
        Op::PushExc => [Write, Read, Unused],
        Op::MatchExc => [Write, Read, Read],
        Op::MatchExcStar => [Write, Update, Read],
        Op::PrepReraiseStar => [Write, Read, Read],
        Op::WithEnter | Op::AsyncWithEnter => [WriteBlock(2), Read, Unused],
        Op::WithExit => [Write, Read, Unused],
        Op::WithExcept => [Write, Read, Read],
        Op::Yield => [Write, rk_b, Unused],
        Op::GetYieldFromIter => [Write, Read, Unused],
        Op::GetAwaitable => [Write, Read, Number],
        Op::YieldFrom => [Write, Update, Unused],
        Op::MatchSequence | Op::MatchMapping | Op::GetLen => [Write, Read, Unused],
        Op::MatchKeys | Op::MatchRest | Op::MatchClass => [Write, Read, Read],
        Op::SetLastValue => [Read, Unused, Unused],
        Op::Intrinsic => {
            let operands = match instr.x {
                x if x == Intrinsic::TypeVar as u8 => 3,
                x if x == Intrinsic::TypeAlias as u8 => 2,
                x if x == Intrinsic::SubscriptGeneric as u8
                    || x == Intrinsic::StopIterationError as u8 =>
                {
                    0
                }
                _ => 1,
            };
            let c = if operands == 0 {
                Unused
            } else {
                Block(operands)
            };
            [Write, Read, c]
        }
    }
}
