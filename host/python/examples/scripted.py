"""A model for the examples that says what it was told to say: no network, no keys."""

from smolagents.models import ChatMessage, MessageRole, Model


class ScriptedModel(Model):
    """Answers with one piece of code after the other."""

    def __init__(self, *codes):
        super().__init__(model_id="scripted")
        self.codes = list(codes)

    def generate(self, messages, **kwargs):
        return ChatMessage(role=MessageRole.ASSISTANT, content=f"Thought: next.\n<code>\n{self.codes.pop(0)}\n</code>")
