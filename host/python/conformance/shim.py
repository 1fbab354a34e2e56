"""A plug-in of pytest that puts this package in the place of smolagents' interpreter, for that library's own tests.

``COLDFRAME_SEMANTICS`` says which semantics. The functions that evaluate one kind of node are replaced in the module of the tests only.
"""

import ast
import json
import os

from smolagents import local_python_executor as library

from coldframe.smolagents import WasmExecutor
from coldframe.smolagents import _evaluate

SEMANTICS = os.environ.get("COLDFRAME_SEMANTICS", "smolagents")


def in_python(
    code, static_tools=None, custom_tools=None, state=None, authorized_imports=library.BASE_BUILTIN_MODULES,
    max_print_outputs_length=50_000, timeout_seconds=30,
):
    """The same contract by an executor with the semantics of Python."""
    state = {} if state is None else state
    executor = WasmExecutor((), max_print_outputs_length, {}, timeout_seconds, imports=list(authorized_imports))
    try:
        own = {name for name, tool in (static_tools or {}).items() if _evaluate._is_own(name, tool)}
        executor.send_tools({name: tool for name, tool in (static_tools or {}).items() if name not in own})
        executor.send_variables({k: v for k, v in state.items() if k not in ("_print_outputs", "_operations_count")})
        try:
            outcome = executor._run(code)
        finally:
            if executor._live.session is not None:
                names = {variable.name: variable for variable in executor._live.session.variables(1)}
                for name in set(state) - set(names) - {"_print_outputs", "_operations_count"}:
                    del state[name]
                for name, variable in names.items():
                    if variable.type_name in ("function", "builtin_function_or_method", "module") or name in (static_tools or {}):
                        continue
                    try:
                        state[name] = executor._live.session[name]
                    except Exception:
                        state[name] = variable
            state["_print_outputs"] = executor.state["_print_outputs"]
            state["_operations_count"] = executor.state["_operations_count"]
        return outcome.value, outcome.is_final_answer
    finally:
        executor.cleanup()


evaluate = in_python if SEMANTICS == "python" else _evaluate.evaluate_python_code
library.evaluate_python_code = evaluate


class Executor(WasmExecutor):
    """What the tests get for ``LocalPythonExecutor``."""

    def __init__(self, additional_authorized_imports, *args, **kwargs):
        super().__init__(additional_authorized_imports, *args, semantics=SEMANTICS, **kwargs)


library.LocalPythonExecutor = Executor


def via(node, state, static_tools, custom_tools, authorized_imports):
    value, _ = evaluate(ast.unparse(node), static_tools, custom_tools, state, authorized_imports)
    state.pop("_print_outputs", None)
    state.pop("_operations_count", None)
    return value


def pytest_collection_modifyitems(items):
    for item in items:
        for name in ("evaluate_boolop", "evaluate_condition", "evaluate_subscript", "evaluate_delete"):
            if hasattr(item.module, name):
                setattr(item.module, name, via)


results = {}


def pytest_runtest_logreport(report):
    name = report.nodeid.split("::", 1)[1]
    if report.failed:
        results[name] = ["failed", classes.get(name)]
    elif report.when == "call" or report.skipped:
        results.setdefault(name, ["skipped" if report.skipped else "passed", classes.get(name)])


classes = {}

PACKAGES = ("numpy", "pandas", "scipy", "sklearn")
LIVE = {
    "test_evaluate_call", "test_evaluate_dict", "test_evaluate_list", "test_evaluate_subscript", "test_access_attributes", "test_call_int",
    "test_final_answer_accepts_kwarg_answer", "test_final_answer_not_caught_by_except_exception", "test_function_def_recovers_source_code",
    "test_generatorexp", "test_generatorexp_with_infinite_sequence", "test_types_as_objects", "test_evaluate_class_def",
    "test_evaluate_class_def_with_assign_attribute_target", "test_evaluate_class_def_with_ann_assign_name",
    "test_evaluate_class_def_with_ann_assign_attribute", "test_evaluate_class_def_with_ann_assign_subscript", "test_evaluate_class_def_with_enum",
    "test_nonsimple_augassign", "test_non_standard_comparisons", "test_dangerous_builtins_are_callable_if_explicitly_added",
}
NODES = ("TestEvaluateBoolop", "TestEvaluateDelete", "TestEvaluateCondition", "TestEvaluateSubscript")
INTERNALS = {
    "test_max_operations", "test_while", "test_get_safe_module_handle_lazy_imports", "test_fix_final_answer_code", "test_check_import_authorized",
    "test_timeout_decorator_completes_within_limit", "test_timeout_decorator_raises_error_when_exceeded", "test_vulnerability_via_dunder_call",
}


def class_of(item):
    """Which kind of case it is: see the head of `run.py`."""
    name, cls = item.originalname, item.cls.__name__ if item.cls else ""
    params = getattr(getattr(item, "callspec", None), "params", {})

    def wants_package(value):
        if isinstance(value, dict):
            return any(map(wants_package, value.values()))
        return type(value).__module__.split(".")[0] in PACKAGES or isinstance(value, str) and any(p in value for p in PACKAGES)

    if any(map(wants_package, params.values())) or name in (
        "test_pandas", "test_imports", "test_additional_imports", "test_can_import_scipy_if_explicitly_authorized",
        "test_can_import_sklearn_if_explicitly_authorized",
    ):
        return "B"
    if cls in NODES or cls == "TestPrintContainer" or name in INTERNALS:
        return "C"
    if cls == "TestLocalPythonExecutorSecurity":
        is_default = params.get("additional_authorized_imports", []) == [] and not params.get("additional_tools")
        is_plain = not params.get("patch_builtin_import_module") and not {"dangerous_function", "dangerous_module"} & set(params)
        return "A1" if is_default and is_plain else "A3"
    if name.startswith("test_can_import_os"):
        return "A3"
    if name in LIVE and cls != "TestEvaluateSubscript":
        return "A2"
    return "A1"


def pytest_itemcollected(item):
    classes[item.nodeid.split("::", 1)[1]] = class_of(item)


def pytest_sessionfinish():
    target = os.environ.get("COLDFRAME_RESULTS")
    if target:
        with open(target, "w") as file:
            json.dump(results, file, indent=1)
