//! Valid sources parse: the constructs of Python 3.14 one by one, and small oddities of layout.

use coldframe_frontend::ast::{Expr, Stmt};
use coldframe_frontend::{decode_source, parse_expression, parse_module};

fn accept(source: &str) {
    if let Err(error) = parse_module(source) {
        panic!("{error}\n{:?}", error.text);
    }
}

/// Parses a file as a whole and then every statement at its outermost level alone.
fn accept_each(source: &str) {
    accept(source);
    let module = parse_module(source).expect("parsed before");
    for statement in &module.ast.body {
        use coldframe_frontend::ast::Ranged;
        let text = &source[statement.range().to_std_range()];
        if !text.starts_with("from __future__") {
            accept(text);
        }
    }
}

#[test]
fn statements() {
    accept_each(include_str!("valid/statements.py"));
}

#[test]
fn expressions() {
    accept_each(include_str!("valid/expressions.py"));
}

#[test]
fn layout() {
    for source in [
        "",
        "\n",
        "# comment",
        "   ",
        "  # comment\n",
        "x",
        "x\r\ny\r\n",
        "x\ry\r",
        "\u{feff}x = 1\n",
        "\x0cx = 1\n",
        "if x:\n  y\n\x0c  z\n",
        "if x:\n  y\n # c\n\n# d\n  z\n",
        "if x:\r\n  y\r\nelse:\r\n  z\r\n",
        "x = '''a\r\nb'''\r\n",
        "def f():\n  pass\n  ",
        "def f():\n  pass\n  # c",
        "if x: y; z;\n",
        "x = (\n  1\n\n)  # c\n",
        "if a:\n\tb\n\tif c:\n\t\td\n",
    ] {
        accept(source);
    }
}

#[test]
fn expressions_for_eval() {
    for source in [
        "1",
        "  1",
        "\t1 + 2\n",
        "1\n\n",
        "x, y",
        "(\n1\n)",
        "lambda: 0",
        "f'{x}'",
    ] {
        assert!(parse_expression(source).is_ok(), "{source:?}");
    }
    for (source, message) in [
        ("", "invalid syntax"),
        ("*a, b", "invalid syntax"),
        ("x := 1", "invalid syntax"),
        ("x = 1", "invalid syntax"),
        ("1 2", "invalid syntax"),
        ("pass", "invalid syntax"),
        ("(1 2)", "invalid syntax. Perhaps you forgot a comma?"),
        ("(", "'(' was never closed"),
        ("1; 2", "invalid syntax"),
        ("yield", "invalid syntax"),
    ] {
        let error = parse_expression(source).expect_err(source);
        assert_eq!(error.message, message, "{source:?}");
    }
}

#[test]
fn positions() {
    let module = parse_module("é = 1\nif é:\n    ü = 'x' + y\n").expect("valid");
    let Stmt::If(statement) = &module.ast.body[1] else {
        panic!("an if statement");
    };
    let Stmt::Assign(assign) = &statement.body[0] else {
        panic!("an assignment");
    };
    let Expr::BinOp(sum) = &*assign.value else {
        panic!("a sum");
    };
    let location = module.lines.location(sum.range.start().to_usize());
    assert_eq!(
        (location.line, location.column, location.byte_column),
        (3, 8, 9)
    );
    assert_eq!(module.lines.text(3), "    ü = 'x' + y");
    assert_eq!(module.lines.line_count(), 4);
    assert_eq!(module.lines.text(99), "");
}

#[test]
fn decoding() {
    let decoded = |bytes: &[u8]| decode_source(bytes).map_err(|error| error.message);
    assert_eq!(decoded("x = 'é'".as_bytes()), Ok("x = 'é'".to_owned()));
    assert_eq!(decoded(b"\xef\xbb\xbfx"), Ok("x".to_owned()));
    assert_eq!(
        decoded(b"# coding: latin-1\n'\xe9'"),
        Ok("# coding: latin-1\n'é'".to_owned())
    );
    assert_eq!(
        decoded(b"#!/bin/x\n# vim: set fileencoding=iso-8859-1 :\n\xe9"),
        Ok("#!/bin/x\n# vim: set fileencoding=iso-8859-1 :\né".to_owned())
    );
    assert_eq!(
        decoded(b"x = 1\n# coding: foo\n"),
        Ok("x = 1\n# coding: foo\n".to_owned())
    );
    assert_eq!(
        decoded(b"# coding: foo\n"),
        Err("unknown encoding: foo".to_owned())
    );
    assert_eq!(
        decoded(b"x\0"),
        Err("source code string cannot contain null bytes".to_owned())
    );
    assert_eq!(
        decoded(b"x\n\xff"),
        Err(
            "Non-UTF-8 code starting with '\\xff' on line 2, but no encoding declared; \
             see https://peps.python.org/pep-0263/ for details"
                .to_owned()
        )
    );
    let error = parse_module("x\0").expect_err("a null character");
    assert_eq!(
        error.message,
        "source code string cannot contain null bytes"
    );
}
