"""The plain interface: a session, a tool, limits, a copy of a session."""

import coldframe


def weather(city: str) -> str:
    """Tells the weather of a city."""
    return f"rain in {city}"


sandbox = coldframe.Sandbox(imports=["math", "statistics"], time=0.5, memory=64 << 20, tools=[weather])
with sandbox.session({"cities": ["Vienna", "Rome"]}) as session:
    print(session.run("reports = [weather(c) for c in cities]\nreports").value)
    with session.fork() as fork:
        fork.run("cities.clear()")
    print(session["cities"])
    print(session.run("import os").error)
    print(session.run("while True: pass").error.exceeded)
