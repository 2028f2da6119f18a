"""One look of the doctor at an agent: what it finds gathers here and becomes the report."""

from collections.abc import Callable, Iterable
from pathlib import Path

from unpretty.errors import UnprettyError
from unpretty_installer.core import report
from unpretty_installer.core.client import AgentClient
from unpretty_installer.core.plan import Note, Options
from unpretty_installer.core.report import FIX, AgentReport, Problem, Status

_BROKEN = {
    "launcher_missing", "python_gone", "command_failed", "unreadable", "unreadable_settings", "config_invalid",
}  # fmt: skip
_MODIFIED = {"entry_repeated", "entry_modified"}


class Examination:
    """The problems, notices and the time of the trial that were found so far."""

    def __init__(self, client: AgentClient) -> None:
        self.client = client
        self.problems: list[Problem] = []
        self.notices: list[Note] = []
        self.run_ms: float | None = None

    def add(self, code: str, message: str, fix: str = FIX) -> None:
        """Add a problem."""
        self.problems.append(Problem(code, message, fix))

    def add_missing(self, path: Path, message: str) -> None:
        """Add that our entry, on record for ``path``, is gone: ``message`` says so, with ``{}`` for the path."""
        name = self.client.row.name
        remedy = f"unpretty install {name} --apply puts it back, unpretty uninstall {name} --apply forgets it."
        self.add("entry_missing", message.format(path), remedy)

    def look_at_own_files(self) -> None:
        """Add what is wrong with our own files, and what switches the hook off."""
        self.problems += report.shared_problems()
        self.notices += report.shared_notices(self.client.row.name)

    def try_out(self, run: Callable[[], float]) -> None:
        """Run what is registered."""
        try:
            self.run_ms = run()
        except UnprettyError as exc:
            self.add(exc.code, str(exc))

    def has(self, *codes: str) -> bool:
        """Whether a problem with one of ``codes`` was found."""
        return any(problem.code in codes for problem in self.problems)

    def status(self, otherwise: Status = "active") -> Status:
        """The status of an agent that is set up; ``otherwise`` unless a problem says more."""
        if self.has(*_BROKEN):
            return "broken"
        return "modified" if otherwise == "active" and self.has(*_MODIFIED) else otherwise

    def report(self, status: Status, config: Path, repair: Iterable[Options]) -> AgentReport:
        """The report; the arguments are as in ``AgentReport``."""
        row = self.client.row
        return AgentReport(
            agent=row.name,
            title=row.title,
            found=self.client.is_found(),
            version=self.client.version(),
            status=status,
            config=str(config),
            problems=tuple(self.problems),
            notices=tuple(self.notices),
            run_ms=self.run_ms,
            last_decision=report.last_decision(row.name),
            repair=tuple(repair),
        )
