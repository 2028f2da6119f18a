"""The one error that a user sees: a sentence on what is wrong and what to do about it."""


class UnprettyError(Exception):
    """Something the user can fix; the command line prints it as one sentence and exits with status 1.

    Attributes:
        code: stable short name of the error, used in ``--json`` output.
        hint: what to do, one sentence; empty when the message already says it.
    """

    def __init__(self, message: str, *, code: str = "error", hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint
