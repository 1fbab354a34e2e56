"""Runs smolagents' own tests of its interpreter against this package, in both semantics, and compares with what is written down.

    python run.py [--write]

The tests come from the source distribution of smolagents on the package index; nothing of them is kept here. Their cases are of these kinds:

* A1: text and plain data in, a value, a log, an error or plain variables out;
* A2: a live object of the host in, or one of the program out;
* A3: rules about modules and their graph in CPython, with modules that are allowed explicitly;
* B: needs numpy, pandas, scipy or scikit-learn, which the sandbox does not have;
* C: calls the parts of the interpreter that the library keeps to itself. Those that evaluate one node are run through the public function.

`exceptions.tsv` lists the cases that fail with `semantics="smolagents"`, with the reason; `python.tsv` those that fail with `semantics="python"`.
"""

import argparse
import collections
import glob
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
VERSION = "1.26.0"
TEST = "tests/test_local_python_executor.py"


def fetch(folder):
    """Gets the file of the tests."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", f"smolagents=={VERSION}", "-d", folder]
    subprocess.run(command, check=True)
    [archive] = glob.glob(os.path.join(folder, "*.tar.gz"))
    with tarfile.open(archive) as tar:
        [member] = [m for m in tar.getmembers() if m.name.endswith(TEST)]
        source = tar.extractfile(member).read()
    target = os.path.join(folder, "test_local_python_executor.py")
    with open(target, "wb") as file:
        file.write(source)
    return target


def run(tests, semantics):
    """Runs the tests; gives the cases with their ends and kinds."""
    results = os.path.join(os.path.dirname(tests), f"{semantics}.json")
    environment = {**os.environ, "COLDFRAME_SEMANTICS": semantics, "COLDFRAME_RESULTS": results, "PYTHONPATH": str(HERE), "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "shim", "-p", "no:cacheprovider", "--tb=no", "--no-header", os.path.basename(tests)]
    subprocess.run(command, cwd=os.path.dirname(tests), env=environment, stdout=subprocess.DEVNULL)
    with open(results) as file:
        return json.load(file)


def table(results):
    """How many of each kind pass."""
    counts = collections.Counter((kind, end) for end, kind in results.values())
    rows = []
    for kind in sorted({kind for kind, _ in counts}):
        passed, failed, skipped = (counts[kind, end] for end in ("passed", "failed", "skipped"))
        rows.append(f"{kind:3} {passed:4} of {passed + failed:4} pass" + (f", {skipped} skipped" if skipped else ""))
    return "\n".join(rows)


def read(name):
    """A list of cases with reasons."""
    path = HERE / name
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines if line and not line.startswith("#"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true", help="write the lists anew; reasons that are there stay")
    options = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        tests = fetch(folder)
        for semantics, name in (("smolagents", "exceptions.tsv"), ("python", "python.tsv")):
            results = run(tests, semantics)
            print(f"semantics={semantics!r}\n{table(results)}\n")
            known = read(name)
            # The kind B says why.
            failed = {case: kind for case, (end, kind) in results.items() if end == "failed" and kind != "B"}
            if options.write:
                lines = [f"{case}\t{known.get(case, '?')}" for case in sorted(failed)]
                (HERE / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
                continue
            for case in sorted(failed.keys() - known.keys()):
                print(f"fails, and is not in {name}: {failed[case]} {case}")
                good = False
            for case in sorted(known.keys() - failed.keys()):
                print(f"passes, or is gone, and is in {name}: {case}")
                good = False
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
