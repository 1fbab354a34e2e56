//! `_decimal_digits`: integers as digits and back without the limit of `sys.set_int_max_str_digits()`, which is no business of decimals. The library's
//! `_pydecimal` keeps coefficients as digits.

use crate::heap::Ref;
use crate::objects::int::{IntRef, construct};
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::Vm;
use coldframe_numeric::int_text;

static FUNCTIONS: &[Def] = &[
    Def::function("digits", "(value, /)", |vm, args| {
        let text = match args[0].as_int() {
            Some(IntRef::Small(i)) => int_text::i64_to_decimal(i),
            Some(IntRef::Big(b)) => {
                let text = int_text::to_decimal(b, 0);
                vm.numeric(text)?
            }
            None => return vm.str(&args[0]).map(Value::from_ref),
        };
        Ok(Str::value(&text))
    }),
    Def::function("integer", "(value, /)", |vm, args| {
        let Some(text) = args[0].as_ref::<Str>() else {
            return construct::from_object(vm, &args[0]);
        };
        match int_text::parse(&text.to_text(), 10, 0) {
            Ok(i) => Ok(i.into()),
            Err(e) => {
                let repr = vm.repr(&args[0])?;
                Err(vm.numeric_error(e.into_error(10, &repr.to_text())))
            }
        }
    }),
];

/// The module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    Module::native(vm, "_decimal_digits", "", FUNCTIONS)
}
