"""A CodeAgent whose code runs in a sandbox, with a tool and a managed agent."""

from scripted import ScriptedModel
from smolagents import CodeAgent, tool

from coldframe.smolagents import WasmExecutor


@tool
def population(city: str) -> int:
    """Tells how many people live in a city.

    Args:
        city: The city.
    """
    return {"Vienna": 2_005_000, "Graz": 303_000}[city]


assistant = CodeAgent(
    model=ScriptedModel("final_answer(population('Graz'))"),
    tools=[population],
    name="assistant",
    description="Looks figures up.",
    executor=WasmExecutor(),
    verbosity_level=0,
)
manager = CodeAgent(
    model=ScriptedModel(
        "vienna = population('Vienna')\nprint('Vienna:', vienna)",
        "population('Atlantis')",  # fails; the model hears why
        "report = assistant(task='How many people live in Graz?')\nfinal_answer(f'{vienna / 1e6:.1f} million; ' + ('303000' in report) * 'and Graz')",
    ),
    tools=[population],
    managed_agents=[assistant],
    executor=WasmExecutor(timeout_seconds=10),
    verbosity_level=0,
)

with manager:
    answer = manager.run("Compare the cities.")
print(answer)
assert answer == "2.0 million; and Graz"
