"""An executor for smolagents' ``CodeAgent``: the model's code runs in a sandbox.

::

    agent = CodeAgent(tools=[...], model=model, executor=WasmExecutor())

See :class:`WasmExecutor`.
"""

from ._executor import WasmExecutor, evaluate_python_code, make_executor
from ._contract import CodeOutput, ExecutionTimeoutError, InterpreterError

__all__ = ["CodeOutput", "ExecutionTimeoutError", "InterpreterError", "WasmExecutor", "evaluate_python_code", "make_executor"]
