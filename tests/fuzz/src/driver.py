# CPython's side of the comparison: reads programs from standard input (length as four bytes, then UTF-8) and writes for each what it
# printed and the exception that ended it, in the same form. Each program runs in a process of its own.
import io
import os
import resource
import struct
import sys


def run(source, out):
    resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    text = io.StringIO()
    sys.stdout = text
    sys.stderr = io.StringIO()
    main = type(sys)("__main__")
    sys.modules["__main__"] = main
    main.__file__ = "program.py"
    error = ""
    try:
        exec(compile(source, "program.py", "exec"), main.__dict__)
    except BaseException as e:
        message = str(e)
        error = f"\n!{type(e).__name__}: {message}" if message else f"\n!{type(e).__name__}"
    with os.fdopen(out, "wb") as pipe:
        pipe.write((text.getvalue() + error).encode("utf-8", "backslashreplace"))


def main():
    source, answers = sys.stdin.buffer, sys.stdout.buffer
    while len(size := source.read(4)) == 4:
        program = source.read(struct.unpack("<I", size)[0]).decode()
        here, there = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(here)
            try:
                run(program, there)
            finally:
                os._exit(0)
        os.close(there)
        with os.fdopen(here, "rb") as pipe:
            answer = pipe.read()
        _, status = os.waitpid(child, 0)
        if status:
            answer = b"\n!CPython died"
        answers.write(struct.pack("<I", len(answer)) + answer)
        answers.flush()


main()
