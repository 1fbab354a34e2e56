//! The policy: which imports are refused, and that no way around leads to a refused module.

use coldframe_guest::vm::Vm;
use coldframe_guest::vm::host::{Host, Stream, ToolError, Verdict};
use coldframe_guest::vm::policy::Rules;
use coldframe_guest::vm::policy::agent::AgentTexts;
use coldframe_guest::vm::session::{Failure, FailureKind};
use std::cell::RefCell;
use std::rc::Rc;

/// A host that keeps the output; its clock stands still.
struct Recorder(Rc<RefCell<Vec<u8>>>);

impl Host for Recorder {
    fn write(&mut self, _: Stream, bytes: &[u8]) -> bool {
        self.0.borrow_mut().extend_from_slice(bytes);
        true
    }
    fn wall_clock(&mut self) -> u64 {
        1_784_116_800_000_000_000
    }
    fn monotonic_clock(&mut self) -> u64 {
        0
    }
    fn sleep(&mut self, _: u64) {}
    fn entropy(&mut self, count: usize) -> Vec<u8> {
        vec![7; count]
    }
    fn checkpoint(&mut self) -> Verdict {
        Verdict::GoOn
    }
    fn call_tool(&mut self, name: &str, _: &[u8]) -> Result<Vec<u8>, ToolError> {
        Err(("RuntimeError".to_owned(), format!("no tool named {name}")))
    }
}

/// One machine that runs programs one after the other.
struct Session {
    vm: Vm,
    output: Rc<RefCell<Vec<u8>>>,
}

impl Session {
    fn new(rules: Rules) -> Session {
        let output = Rc::new(RefCell::new(Vec::new()));
        let mut vm = Vm::boot(Box::new(Recorder(output.clone())));
        vm.configure(rules).expect("the rules make sense");
        Session { vm, output }
    }

    fn run(&mut self, source: &str) -> (String, Option<Failure>) {
        let result = self.vm.run_program(source, "<string>", false);
        let text =
            String::from_utf8_lossy(&std::mem::take(&mut *self.output.borrow_mut())).into_owned();
        (text, result.err())
    }
}

/// On a thread with a stack that native recursion needs.
fn with_stack(test: impl FnOnce() + Send + 'static) {
    let worker = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(test)
        .expect("a thread");
    if let Err(panic) = worker.join() {
        std::panic::resume_unwind(panic);
    }
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| (*n).to_owned()).collect()
}

fn allow(names: &[&str]) -> Rules {
    Rules {
        allowed_imports: Some(strings(names)),
        ..Rules::default()
    }
}

fn prints(session: &mut Session, source: &str, wanted: &str) {
    let (text, failure) = session.run(source);
    let failure = failure.map(|f| f.traceback).unwrap_or_default();
    assert_eq!(text.trim_end(), wanted, "{source}\n{failure}");
}

fn fails(session: &mut Session, source: &str, type_name: &str, message: &str) {
    let (text, failure) = session.run(source);
    let Some(failure) = failure else {
        panic!("{source}\nran, and printed {text:?}");
    };
    assert_eq!(
        (failure.type_name.as_str(), failure.message.as_str()),
        (type_name, message),
        "{source}\n{}",
        failure.traceback
    );
    assert_eq!(failure.kind, FailureKind::Refused, "{source}");
}

#[test]
fn imports_follow_the_list() {
    with_stack(|| {
        let mut s = Session::new(allow(&["math", "json", "os.path", "xml.*", "collections"]));
        prints(
            &mut s,
            "import math, json; print(math.sqrt(4.0), json.dumps([1]))",
            "2.0 [1]",
        );
        prints(
            &mut s,
            "import os.path; print(os.path.join('a', 'b'))",
            "a/b",
        );
        prints(&mut s, "import os; print(os.sep)", "/");
        prints(
            &mut s,
            "import xml.sax.saxutils as u; print(u.escape('<'))",
            "&lt;",
        );
        prints(
            &mut s,
            "from xml.etree import ElementTree; print(ElementTree.fromstring('<a/>').tag)",
            "a",
        );
        // What the library imports for itself is its own business.
        prints(
            &mut s,
            "import collections; print(collections.namedtuple('P', 'x y')(1, 2))",
            "P(x=1, y=2)",
        );
        let end = "is not allowed. Authorized imports are: ['collections', 'json', 'math', 'os.path', 'xml.*']";
        for (source, start) in [
            ("import random", "Import of random"),
            ("import random as r", "Import of random"),
            ("from random import choice", "Import from random"),
            ("from random import *", "Import from random"),
            ("import json.decoder", "Import of json.decoder"),
            ("from json import decoder", "Import from json.decoder"),
            (
                "from collections.abc import Mapping",
                "Import from collections.abc",
            ),
            ("import sys", "Import of sys"),
            ("import builtins", "Import of builtins"),
            ("__import__('random')", "Import of random"),
            ("exec('import random')", "Import of random"),
            ("eval(\"__import__('random')\")", "Import of random"),
            (
                "exec(compile('import random', '/lib/python3.14/os.py', 'exec'))",
                "Import of random",
            ),
            ("def f():\n    import random\nf()", "Import of random"),
            ("class A:\n    import random", "Import of random"),
            ("list(map(__import__, ['random']))", "Import of random"),
        ] {
            fails(&mut s, source, "ImportError", &format!("{start} {end}"));
        }
        // Nobody has it.
        for name in ["numpy", "numpy.random", "no_such"] {
            let text = format!("Import of {name} {end}");
            fails(
                &mut s,
                &format!("import {name}"),
                "ModuleNotFoundError",
                &text,
            );
        }
        prints(
            &mut s,
            "try:\n    import random\nexcept ImportError as e: print(e.name)",
            "random",
        );
    });
}

#[test]
fn what_is_denied_is_taken_from_what_is_allowed() {
    with_stack(|| {
        let mut s = Session::new(Rules {
            denied_imports: strings(&["os", "random"]),
            ..Rules::default()
        });
        prints(&mut s, "import math, string; print(math.floor(1.5))", "1");
        let end = "is not allowed. Authorized imports are: ['*'] without ['os', 'random']";
        for name in ["os", "os.path", "posix", "_random", "posixpath"] {
            fails(
                &mut s,
                &format!("import {name}"),
                "ImportError",
                &format!("Import of {name} {end}"),
            );
        }
        // Modules that need them work.
        prints(
            &mut s,
            "import tempfile, shutil, uuid; print(shutil.__name__)",
            "shutil",
        );
    });
}

#[test]
fn a_policy_that_allows_everything_changes_nothing() {
    with_stack(|| {
        let mut s = Session::new(allow(&["*"]));
        prints(
            &mut s,
            "import random, sys; print(random._os is sys.modules['os'])",
            "True",
        );
    });
}

/// Programs that try to get at `os`; each prints what it got if it succeeds. They run where `os`, `posix` and their like are refused and everything that helps
/// to look around is allowed.
const TRICKS: &[&str] = &[
    // by import
    "import importlib; m = importlib.import_module('os'); print(m.getcwd())",
    "import importlib; m = importlib.__import__('os'); print(m.getcwd())",
    "import pkgutil; print(pkgutil.resolve_name('os:getcwd')())",
    "import pkgutil; print(pkgutil.resolve_name('os').getcwd())",
    "import pickle; print(pickle.loads(b'cos\\ngetcwd\\n(tR.'))",
    "import pickle; print(pickle.loads(b'cposix\\ngetcwd\\n(tR.'))",
    "import pickle\nclass U(pickle.Unpickler): pass\nimport io; print(U(io.BytesIO(b'cos\\ngetcwd\\n(tR.')).load())",
    "import runpy; print(runpy.run_module('os')['getcwd']())",
    "import pydoc; print(pydoc.locate('os.getcwd')())",
    "from unittest import mock\nwith mock.patch('os.getcwd') as m: print(m)",
    "import timeit; timeit.timeit('import os; print(os.getcwd())', number=1)",
    "import code; code.InteractiveInterpreter({'__builtins__': __builtins__}).runsource('import os; print(os.getcwd())')",
    "import typing\ndef f(x: \"__import__('os').getcwd()\"): pass\nprint(typing.get_type_hints(f))",
    "import types; m = types.ModuleType('m'); exec('import os', m.__dict__); print(m.os.getcwd())",
    "__builtins__.__import__('os').getcwd()\nprint('got')",
    "print(__loader__.load_module('os').getcwd())",
    "import importlib.util as u; s = u.find_spec('posix'); m = u.module_from_spec(s); print(m.getcwd())",
    "import importlib.machinery as m; print(m.BuiltinImporter.load_module('posix').getcwd())",
    "import importlib._bootstrap as b; print(b._gcd_import('os').getcwd())",
    "import _imp, types; print(_imp.create_builtin(types.SimpleNamespace(name='posix')).getcwd())",
    // a module as an attribute of another
    "import random; print(random._os.getcwd())",
    "import random; m = random._os; print(m)",
    "import random; f = getattr(random, '_os').getcwd; print(f())",
    "from random import _os; print(_os.getcwd())",
    "from shutil import *; import shutil; print(shutil.os.getcwd())",
    "import shutil; o = vars(shutil)['os']; print(o.getcwd())",
    "import shutil; o = shutil.__dict__['os']; print(getattr(o, 'getcwd')())",
    "import shutil; [o] = [shutil.__dict__['os']]; print(vars(o)['getcwd']())",
    "import shutil; o = shutil.__dict__['os']; print(o.__dict__['getcwd']())",
    "import shutil; o = shutil.__dict__['os']; print(object.__getattribute__(o, 'getcwd')())",
    "import shutil, types; o = shutil.__dict__['os']; print(types.ModuleType.__getattribute__(o, 'getcwd')())",
    "import shutil, types; o = shutil.__dict__['os']; print(types.ModuleType.__dict__['__dict__'].__get__(o)['getcwd']())",
    "import shutil, types; o = shutil.__dict__['os']; print(super(types.ModuleType, o).__getattribute__('getcwd')())",
    "import shutil, operator; o = shutil.__dict__['os']; print(operator.attrgetter('getcwd')(o)())",
    "import shutil, operator; o = shutil.__dict__['os']; print(operator.methodcaller('getcwd')(o))",
    "import shutil, weakref; o = shutil.__dict__['os']; print(weakref.proxy(o).getcwd())",
    "import shutil, types\nmatch shutil.__dict__['os']:\n    case types.ModuleType(getcwd=f): print(f())",
    "import shutil; print('{0.getcwd}'.format(shutil.__dict__['os']))",
    "import shutil, string; print(string.Formatter().format('{0.getcwd}', shutil.__dict__['os']))",
    "import shutil, inspect; print(inspect.getattr_static(shutil.__dict__['os'], 'getcwd')())",
    "import shutil, inspect; print(dict(inspect.getmembers(shutil.__dict__['os']))['getcwd']())",
    "import shutil, functools\ndef f(): pass\nfunctools.update_wrapper(f, shutil.__dict__['os'], ('getcwd',), ())\nprint(f.getcwd())",
    "import shutil, functools; print(functools.reduce(getattr, ['getcwd'], shutil.__dict__['os'])())",
    "import shutil, types; o = shutil.__dict__['os']; types.ModuleType.__init__(o, 'math'); print(o.getcwd())",
    "import shutil; o = shutil.__dict__['os']; o.__name__ = 'math'; print(o.getcwd())",
    "import shutil; o = shutil.__dict__['os']; setattr(o, '__name__', 'math'); print(o.getcwd())",
    "import shutil; exec('print(os.getcwd())', shutil.__dict__)",
    "import shutil; print(eval('getcwd()', vars(shutil.__dict__['os'])))",
    // sys.modules
    "import sys; print(sys.modules['os'].getcwd())",
    "import sys; sys.modules['mine'] = sys.modules['os']; import mine; print(mine.getcwd())",
    "import sys; sys.modules['mine'] = sys.modules['os']; from mine import getcwd; print(getcwd())",
    "import sys; sys.modules['math'] = sys.modules['os']; import math; print(math.getcwd())",
    "import sys; [m] = [m for n, m in sys.modules.items() if n == 'os']; print(m.getcwd())",
    "import inspect; print(inspect.sys.modules['os'].getcwd())",
    // globals of functions, frames, code
    "import tempfile; print(tempfile.mkdtemp.__globals__['_os'].getcwd())",
    "import random; print(random._urandom.__self__.getcwd())",
    "import glob; print(glob.glob.__globals__['os'].getcwd())",
    "import os.path as p; print(p)",
    "import shutil; f = shutil.__dict__['os'].fsencode; print(f)",
    "import random, types; f = types.FunctionType(random.Random.seed.__code__, {'x': 1}); import shutil; print(f, shutil.os.sep)",
    "import sys, shutil\ndef spy(frame, *rest):\n    print(frame.f_globals['os'].getcwd())\nclass K(str):\n    def __fspath__(self): spy(sys._getframe(1)); return 'x'\nshutil.copyfile(K(), 'y')",
    "import sys\ntry:\n    import shutil; shutil.rmtree(5)\nexcept TypeError as e:\n    t = e.__traceback__\n    while t: g = t.tb_frame.f_globals; t = t.tb_next\n    print(g['os'].getcwd())",
    "[c] = [c for c in object.__subclasses__() if c.__name__ == '_wrap_close']; print(c.__init__.__globals__['getcwd']())",
    "import warnings; print(warnings.catch_warnings()._module.sys.modules['os'].getcwd())",
    // the collector
    "import gc; [o] = [o for o in gc.get_objects() if type(o).__name__ == 'module' and o.__name__ == 'os']; print(o.getcwd())",
    "import gc; [d] = [d for d in gc.get_objects() if type(d) is dict and d.get('__name__') == 'os' and 'getcwd' in d]; print(d['getcwd']())",
    "import gc, random; [o] = [o for o in gc.get_referents(random.__dict__) if getattr(o, '__name__', '') == 'os']; print(o.getcwd())",
    "import gc; [f] = [f for f in gc.get_objects() if getattr(f, '__name__', '') == 'fsencode']; print(f)",
    // code of the library made to do the program's will
    "import functools, types, shutil\nw = types.FunctionType(functools.update_wrapper.__code__, {'m': shutil.__dict__['os'], 'WRAPPER_ASSIGNMENTS': ()})\ndef f(): pass\nw(f, shutil.__dict__['os'], ('getcwd',), ())\nprint(f.getcwd())",
    "import functools, shutil\ndef g(wrapper, wrapped, assigned, updated): pass\ng.__code__ = functools.update_wrapper.__code__\ndef f(): pass\ng(f, shutil.__dict__['os'], ('getcwd',), ())\nprint(f.getcwd())",
];

#[test]
fn no_trick_gets_at_a_refused_module() {
    with_stack(|| {
        assert!(TRICKS.len() >= 50);
        let mut succeeded = Vec::new();
        let mut s = None;
        for (at, trick) in TRICKS.iter().enumerate() {
            // A machine takes its time to boot: some tricks share one.
            let s = match &mut s {
                Some(s) if at % 8 != 0 => s,
                s => s.insert(Session::new(Rules {
                    denied_imports: strings(&["os", "posix", "posixpath", "nt"]),
                    ..Rules::default()
                })),
            };
            let (text, failure) = s.run(trick);
            if failure.is_none() && !text.contains("Error") {
                succeeded.push(format!("{trick}\n  -> {text}"));
            } else if std::env::var_os("SHOW").is_some() {
                let failure = failure.map_or(text, |f| format!("{}: {}", f.type_name, f.message));
                println!("{trick}\n  -> {failure}");
            }
        }
        assert!(succeeded.is_empty(), "{}", succeeded.join("\n"));
    });
}

/// Ways to the namespace of a library module that the program may not have. Where it is had, the program prints `got`.
const NAMESPACE_TRICKS: &[&str] = &[
    "import math\ng = math.__spec__.__class__.__init__.__globals__\nprint('got', len(g))",
    "import math\ng = math.__spec__.__class__.__init__.__globals__\ng['_call_with_frames_removed'](getattr, g['_gcd_import']('os'), 'getcwd')()\nprint('got')",
    "import math, collections\nf = math.__spec__.__class__.__init__\nprint('got', len(collections.UserList(map(getattr, [f], ['__globals__'])).data[0]))",
    "import math, heapq\nf = math.__spec__.__class__.__init__\nprint('got', len(next(heapq.merge(map(getattr, [f], ['__globals__'])))))",
    "import math, heapq\nf = math.__spec__.__class__.__init__\nprint('got', len(next(heapq.merge(map(type(f).__dict__['__globals__'].__get__, [f])))))",
    "import math, heapq, operator\nf = math.__spec__.__class__.__init__\nprint('got', len(next(heapq.merge(map(operator.attrgetter('__globals__'), [f])))))",
    "import math\nf = math.__spec__.__class__.__init__\nf.__code__ = (lambda self, *a: _gcd_import).__code__\nf(None)\nprint('got')",
    "import math, types\nf = math.__spec__.__class__.__init__\ntypes.FunctionType((lambda: _gcd_import).__code__, f.__globals__)()\nprint('got')",
    "import random\nopen('x.py', 'w').write('g = getcwd()')\nimport x\n",
    "open('y.py', 'w').write('g = 1')\nimport y, random\nopen('y.py', 'w').write('g = getcwd()')\ny.__loader__.exec_module(random._os)\nprint('got')",
    "import random, collections\nf = random._os.fsencode\nprint('got', f)",
    "import random, collections\nprint('got', collections.UserList(map(vars, [random._os])).data[0]['getcwd'])",
    "import random, heapq\nprint('got', next(heapq.merge(map(random.__class__.__dict__['__dict__'].__get__, [random._os]))))",
    "import random\nprint('got', exec('getcwd()', random._os.__dict__))",
];

#[test]
fn no_trick_gets_at_the_namespace_of_a_refused_module() {
    with_stack(|| {
        let mut succeeded = Vec::new();
        for trick in NAMESPACE_TRICKS {
            let mut s = Session::new(allow(&[
                "math",
                "random",
                "collections",
                "heapq",
                "operator",
                "types",
            ]));
            let (text, failure) = s.run(trick);
            if failure.is_none() || text.contains("got") {
                succeeded.push(format!("{trick}\n  -> {text}"));
            }
        }
        assert!(succeeded.is_empty(), "{}", succeeded.join("\n"));
    });
}

#[test]
fn the_refusal_of_a_module_says_which() {
    with_stack(|| {
        let mut s = Session::new(allow(&["random", "queue", "datetime"]));
        for (source, name) in [
            ("import random; random._os.system('echo')", "os"),
            ("import queue; queue.threading", "threading"),
            ("import random\ngetattr(random, '_os')", "os"),
        ] {
            let text = format!("Forbidden access to module: {name}");
            fails(&mut s, source, "ImportError", &text);
        }
        prints(
            &mut s,
            "import random; random.seed(1); print(random.randrange(10) < 10)",
            "True",
        );
        prints(
            &mut s,
            "import datetime; print(datetime.date(2026, 1, 2).isoformat())",
            "2026-01-02",
        );
    });
}

#[test]
fn removed_builtins_are_gone_and_do_not_come_back() {
    with_stack(|| {
        let rules = || Rules {
            removed_builtins: strings(&["open", "eval", "exec", "compile", "__import__", "vars"]),
            ..Rules::default()
        };
        let mut s = Session::new(rules());
        for name in ["open", "eval", "exec", "compile", "__import__", "vars"] {
            let (_, failure) = s.run(&format!("{name}('1')"));
            let failure = failure.expect("there is no such name");
            assert_eq!(failure.message, format!("name '{name}' is not defined"));
        }
        prints(
            &mut s,
            "import math, collections, dataclasses; print(math.pi > 3)",
            "True",
        );
        prints(
            &mut s,
            "import builtins; print(hasattr(builtins, 'open'), hasattr(builtins, 'len'))",
            "False True",
        );
        prints(
            &mut s,
            "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\nprint(A(), A() == A())",
            "A(x=1) True",
        );
        prints(
            &mut s,
            "from collections import namedtuple; print(namedtuple('P', 'x')(3))",
            "P(x=3)",
        );
        let mut wrong = Vec::new();
        for trick in [
            "print(__builtins__.eval('1'))",
            "import random; print(random.__builtins__.eval('1'))",
            "import random; print(random.choice.__globals__['__builtins__'].eval('1'))",
            "import random; print(random.seed.__builtins__['eval']('1'))",
            "import sys; print(sys.modules['builtins'].eval('1'))",
            "import sys; print(sys._getframe().f_builtins['eval']('1'))",
            "import gc; [e] = [e for e in gc.get_objects() if getattr(e, '__name__', '') == 'eval']; print(e('1'))",
            "import pickle; print(pickle.loads(b\"cbuiltins\\neval\\n(S'1'\\ntR.\"))",
            "import types; f = types.FunctionType((lambda: eval('1')).__code__, {}); print(f())",
            "import importlib; print(importlib.import_module('builtins').eval('1'))",
        ] {
            let mut s = Session::new(rules());
            let (text, failure) = s.run(trick);
            if failure.is_none() {
                wrong.push(format!("{trick}\n  -> {text}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

#[test]
fn dunder_attributes_can_be_out_of_reach() {
    with_stack(|| {
        let mut s = Session::new(Rules {
            dunders: Some(strings(&["__init__", "__str__", "__repr__"])),
            ..Rules::default()
        });
        for (source, name) in [
            ("(1).__class__", "__class__"),
            ("x = []\nx.__len__()", "__len__"),
            ("class A: pass\nA.__dict__", "__dict__"),
            ("class A: pass\nA.__foo__ = 1", "__foo__"),
            ("class A: pass\ndel A().__bar__", "__bar__"),
            ("getattr(1, '__class__')", "__class__"),
            ("setattr(1, '__class__', 2)", "__class__"),
            ("delattr(1, '__class__')", "__class__"),
            ("'{0.__class__}'.format(1)", "__class__"),
            ("'{x.real.__class__}'.format(x=1)", "__class__"),
            ("'{x.__class__}'.format_map({'x': 1})", "__class__"),
            (
                "import string; string.Formatter().format('{0.__class__}', 1)",
                "__class__",
            ),
            (
                "import operator; operator.attrgetter('real.__class__')",
                "__class__",
            ),
            (
                "import operator; operator.methodcaller('__len__')",
                "__len__",
            ),
            ("match 1:\n    case int(__class__=c): print(c)", "__class__"),
            ("exec('(1).__class__')", "__class__"),
            (
                "class A:\n    __match_args__ = ('__class__',)\nmatch A():\n    case A(c): print(c)",
                "__class__",
            ),
        ] {
            let text = format!("Forbidden access to dunder attribute: {name}");
            fails(&mut s, source, "AttributeError", &text);
        }
        prints(
            &mut s,
            "print(hasattr(1, '__class__'), getattr(1, '__class__', None))",
            "False None",
        );
        prints(
            &mut s,
            "class A:\n    def __init__(self): self.x = 1\n    def __len__(self): return 5\n    def __repr__(self): return 'A!'\n\
             class B(A):\n    def __init__(self): super().__init__()\nprint(len(B()), B().__repr__(), B().x)",
            "5 A! 1",
        );
        prints(
            &mut s,
            "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\nprint(A(), A() == A())",
            "A(x=1) True",
        );
        prints(
            &mut s,
            "import json, collections, re; print(json.loads('[1]'), re.sub('a', 'b', 'aa'))",
            "[1] bb",
        );
    });
}

#[test]
fn loops_are_counted_for_each_execution() {
    with_stack(|| {
        let mut s = Session::new(Rules {
            while_iterations: Some(100),
            ..Rules::default()
        });
        prints(&mut s, "i = 0\nwhile i < 100: i += 1\nprint(i)", "100");
        prints(
            &mut s,
            "n = 0\nfor k in range(5):\n    i = 0\n    while i < 90:\n        i += 1\n        n += 1\nprint(n)",
            "450",
        );
        prints(
            &mut s,
            "def f():\n    i = 0\n    while True:\n        i += 1\n        if i == 50: break\n    else:\n        return 'no'\n    return i\nprint(f(), f())",
            "50 50",
        );
        prints(
            &mut s,
            "def g():\n    i = 0\n    while i < 60:\n        i += 1\n        j = 0\n        while j < 60:\n            j += 1\n            if j % 2: continue\n            yield j\nprint(sum(g()))",
            "55800",
        );
        prints(
            &mut s,
            "i = 0\nwhile i < 3:\n    i += 1\n    try:\n        if i == 2: continue\n        1 / 0\n    except ZeroDivisionError:\n        pass\n    finally:\n        print(i, end=' ')\nelse:\n    print('done')",
            "1 2 3 done",
        );
        for source in [
            "while True: pass",
            "i = 0\nwhile i < 101: i += 1",
            "try:\n    while True: pass\nexcept BaseException:\n    print('caught')",
            "exec('while 1: pass')",
            "def f():\n    while True:\n        try:\n            continue\n        finally:\n            pass\nf()",
        ] {
            let (text, failure) = s.run(source);
            let failure = failure.expect("it never ends");
            assert_eq!(text, "");
            assert_eq!(
                failure.message, "Maximum number of 100 iterations in While loop exceeded",
                "{source}"
            );
        }
        // The library's own loops are not counted.
        prints(
            &mut s,
            "import textwrap; print(len(textwrap.wrap('a ' * 5000, 3)))",
            "2500",
        );
    });
}

#[test]
fn the_time_zone_is_that_of_the_policy() {
    with_stack(|| {
        let mut s = Session::new(Rules {
            time_zone: Some("Europe/Berlin".to_owned()),
            ..Rules::default()
        });
        prints(
            &mut s,
            "import time; t = time.localtime(); print(t.tm_hour, t.tm_isdst, t.tm_zone, t.tm_gmtoff, time.tzname, time.timezone, time.altzone, time.daylight)",
            "14 1 CEST 7200 ('CET', 'CEST') -3600 -7200 1",
        );
        prints(
            &mut s,
            "print(time.strftime('%H:%M %Z %z'), time.ctime(0), time.mktime(time.localtime(1e9)))",
            "14:00 CEST +0200 Thu Jan  1 01:00:00 1970 1000000000.0",
        );
        prints(
            &mut s,
            "import datetime; d = datetime.datetime; print(d.now().astimezone().isoformat(), d.fromtimestamp(0), d(2026, 1, 1).astimezone().tzname(), d(2026, 7, 1).timestamp())",
            "2026-07-15T14:00:00+02:00 1970-01-01 01:00:00 CET 1782856800.0",
        );
        let mut vm = Vm::boot(Box::new(Recorder(Rc::default())));
        let error = vm
            .configure(Rules {
                time_zone: Some("Mars/Olympus".to_owned()),
                ..Rules::default()
            })
            .unwrap_err();
        assert_eq!(
            error,
            "\"Mars/Olympus\" is neither the name of a time zone nor a POSIX TZ text"
        );
    });
}

#[test]
fn failures_are_told_in_the_words_of_agents() {
    with_stack(|| {
        let mut s = Session::new(Rules {
            allowed_imports: Some(strings(&["random", "math"])),
            removed_builtins: strings(&["open"]),
            while_iterations: Some(1000),
            agent_texts: Some(AgentTexts {
                operations: 10,
                seconds: "30".to_owned(),
            }),
            ..Rules::default()
        });
        for (source, wanted) in [
            (
                "!echo Bad command",
                "Code parsing failed on line 1 due to: SyntaxError: invalid syntax (<unknown>, line 1)\n!echo Bad command\n ^",
            ),
            (
                "import os; exit_code = os.system('echo Bad command')",
                "Code execution failed at line 'import os' due to: InterpreterError: Import of os is not allowed. Authorized imports are: ['math', 'random']",
            ),
            (
                "import random; random._os.system('echo Bad command')",
                "Code execution failed at line 'random._os.system('echo Bad command')' due to: InterpreterError: Forbidden access to module: os",
            ),
            (
                "\nwhile True:\n    pass\n",
                "Code execution failed at line 'while True:\n    pass' due to: InterpreterError: Maximum number of 1000 iterations in While loop exceeded",
            ),
            (
                "x = 1\ndef f():\n    return 1 / 0\n\ny = (f() +\n  1)\n",
                "Code execution failed at line 'y = (f() +\n  1)' due to: ZeroDivisionError: division by zero",
            ),
            (
                "print(undefined_thing)",
                "Code execution failed at line 'print(undefined_thing)' due to: InterpreterError: The variable `undefined_thing` is not defined.",
            ),
            (
                "open('x')",
                "Code execution failed at line 'open('x')' due to: InterpreterError: Forbidden function evaluation: 'open' is not among the explicitly \
                 allowed tools or defined/imported in the preceding code",
            ),
        ] {
            let (_, failure) = s.run(source);
            let failure = failure.expect("it fails");
            assert_eq!(failure.agent_text.as_deref(), Some(wanted));
        }
    });
}

#[test]
fn rules_that_make_no_sense_are_refused() {
    with_stack(|| {
        let mut vm = Vm::boot(Box::new(Recorder(Rc::default())));
        for (rules, wanted) in [
            (
                allow(&["os..path"]),
                "\"os..path\" is not a module name such as json, os.path or numpy.*",
            ),
            (
                Rules {
                    removed_builtins: strings(&["no name"]),
                    ..Rules::default()
                },
                "\"no name\" is not a name",
            ),
        ] {
            assert_eq!(vm.configure(rules).unwrap_err(), wanted);
        }
    });
}
