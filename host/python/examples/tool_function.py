"""A tool for any framework that takes functions: LangChain's ``@tool``, pydantic-ai's ``@agent.tool_plain``, MCP servers."""

import coldframe

sandbox = coldframe.Sandbox(preset="strict")


def run_python(code: str) -> str:
    """Runs Python code in a sandbox. Gives what it printed and the value of the last expression, or the traceback."""
    outcome = sandbox.run(code)
    if not outcome.ok:
        return outcome.stdout + (outcome.error.traceback or str(outcome.error))
    return outcome.stdout + (outcome.repr if outcome.value is not None else "")


print(run_python("print('squares')\n[n * n for n in range(5)]"))
