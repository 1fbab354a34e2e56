//! What special methods made from slots say of themselves (`__doc__`): one sentence for each slot, as `help()` and `inspect` show it.

use super::slot_wrappers::Wrapped;
use super::slots::{BinOp, UnOp};

/// The documentation of a wrapper.
pub fn of(what: Wrapped) -> String {
    let fixed = match what {
        Wrapped::Compare(op) => return format!("Return self{}value.", op.symbol()),
        Wrapped::Binary(op) => return binary(op, "self", "value"),
        Wrapped::Reflected(op) => return binary(op, "value", "self"),
        Wrapped::Inplace(op) => return format!("Implement self{}=value.", sign(op)),
        Wrapped::Unary(UnOp::Neg) => "-self",
        Wrapped::Unary(UnOp::Pos) => "+self",
        Wrapped::Unary(UnOp::Abs) => "abs(self)",
        Wrapped::Unary(UnOp::Invert) => "~self",
        Wrapped::Repr => "Return repr(self).",
        Wrapped::Str => "Return str(self).",
        Wrapped::Hash => "Return hash(self).",
        Wrapped::Call => "Call self as a function.",
        Wrapped::GetAttribute => "Return getattr(self, name).",
        Wrapped::SetAttr => "Implement setattr(self, name, value).",
        Wrapped::DelAttr => "Implement delattr(self, name).",
        Wrapped::Iter => "Implement iter(self).",
        Wrapped::Next => "Implement next(self).",
        Wrapped::Len => "Return len(self).",
        Wrapped::GetItem => "Return self[key].",
        Wrapped::SetItem => "Set self[key] to value.",
        Wrapped::DelItem => "Delete self[key].",
        Wrapped::Contains => "Return bool(key in self).",
        Wrapped::Bool => "True if self else False",
        Wrapped::Index => {
            "Return self converted to an integer, if self is suitable for use as an index into a list."
        }
        Wrapped::Int => "int(self)",
        Wrapped::Float => "float(self)",
        Wrapped::Get => "Return an attribute of instance, which is of type owner.",
        Wrapped::Set => "Set an attribute of instance to value.",
        Wrapped::Delete => "Delete an attribute of instance.",
        Wrapped::Init => "Initialize self.  See help(type(self)) for accurate signature.",
        Wrapped::Del => "Called when the instance is about to be destroyed.",
    };
    fixed.to_owned()
}

/// The operator between two operands.
fn sign(op: BinOp) -> &'static str {
    match op {
        BinOp::Pow => "**",
        _ => op.symbol(),
    }
}

fn binary(op: BinOp, left: &str, right: &str) -> String {
    match op {
        BinOp::Pow => format!("Return pow({left}, {right}, mod)."),
        BinOp::DivMod => format!("Return divmod({left}, {right})."),
        _ => format!("Return {left}{}{right}.", sign(op)),
    }
}
