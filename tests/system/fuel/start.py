"""As little as a program can be: what a run costs by itself."""

1 + 1
