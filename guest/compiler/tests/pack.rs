//! Packed code comes back as it was.

use std::rc::Rc;

use coldframe_compiler::code::Compiled;
use coldframe_compiler::spans::Store;
use coldframe_compiler::{Options, compile_module, pack};

fn compile(source: &str) -> Rc<Compiled> {
    let module = coldframe_frontend::parse_module(source).expect("valid source");
    compile_module(&module.ast, &module.lines, &Options::default()).expect("it compiles")
}

const SOURCE: &str = r#"
'''A module.'''
import os.path as p
from . import x
BIG = -123456789012345678901234567890, 0x7fffffffffffffff, 1.5, -0.0, 2j, b"\xff\x00", "\ud800", ..., True
class C[T](object, metaclass=type):
    "A class."
    __slots__ = ()
    def f(self, a, /, b=1, *c, d: int = 2, **e):
        def g():
            nonlocal a
            a = self
            return a in {1, 2, (3, None)}
        try:
            self.y = yield from g()
        except* ValueError as error:
            raise error from None
        return __class__
async def h():
    async with x as y:
        async for z in y:
            yield [w async for w in z]
match BIG:
    case [int(real=1), *rest] if rest:
        print(f"{rest!r:>{p}}")
"#;

#[test]
fn everything_comes_back() {
    let code = compile(SOURCE);
    let packed = pack::pack(&code);
    let spans = packed.spans.clone();
    let again = pack::unpack(&packed.code, &Store::new(move || spans.clone()), |name| {
        Rc::<str>::from(name)
    });
    assert_eq!(again.as_ref(), Some(&code));
}

#[test]
fn other_bytes_are_refused() {
    let packed = pack::pack(&compile(SOURCE));
    let store = Store::new(Vec::new);
    for end in 0..packed.code.len() {
        assert!(pack::unpack(&packed.code[..end], &store, |name| Rc::<str>::from(name)).is_none());
    }
    for at in 0..packed.code.len() {
        let mut code = packed.code.clone();
        code[at] = code[at].wrapping_add(0x81);
        // Whatever comes of it, it ends.
        let _ = pack::unpack(&code, &store, |name| Rc::<str>::from(name));
    }
}
