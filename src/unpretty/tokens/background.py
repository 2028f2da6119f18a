"""Have the tokens of a conversion counted after the reply has left, by a process of its own.

On the hook path: loading tiktoken here would keep the agent waiting for half a second. The child gets the texts
through memory (or a file that has no name any more), never through arguments, environment or a file that anybody could
open, and has closed standard input, output and error before ``count_later`` returns: Claude Code drops a rewrite
while a child of the hook holds them. What the child does is in ``child.py``.
"""

import sys

from unpretty.engine import system

CHILD = __file__.replace("background.py", "child.py")

# All that an interpreter may need to start, and whose files root creates; the agent's environment also holds keys.
_KEPT_VARIABLES = (b"LD_LIBRARY_PATH", b"DYLD_LIBRARY_PATH", b"PATH", b"LANG", b"LC_ALL", b"LC_CTYPE", b"HOME")

_started: "list[int]" = []


def count_later(
    python: str, log_path: str, texts: "list[tuple[str, str, str]]", max_bytes: int = 33554432, max_files: int = 4
) -> bool:
    """Start a process that counts tokens and adds them to the decision log; True when it was started. Never raises.

    Not done on Windows, where the child could not close the agent's pipes: there ``stats`` shows estimates.

    Args:
        python: the interpreter that runs the hook (``sys.executable``); links from it are followed into its
            virtual environment, where tiktoken is.
        log_path: the decision log.
        texts: decision id, text before and text after, for each converted field of the call.
        max_bytes: size at which the log is rotated.
        max_files: how many log files are kept.
    """
    if sys.platform == "win32":  # pragma: no cover
        return False
    _reap()
    try:
        handle = _write_parts([log_path, str(max_bytes), str(max_files), *(part for text in texts for part in text)])
        try:
            _started.append(_spawn(interpreter(python), handle))
        finally:
            system.close(handle)
    except (OSError, ValueError):
        return False
    return True


def is_counting() -> bool:
    """True while a process that ``count_later`` started from here is still running."""
    if sys.platform == "win32":  # pragma: no cover
        return False
    _reap()
    return bool(_started)


def interpreter(python: str) -> str:
    """The path to start ``python`` by, so that it finds its installed packages.

    A virtual environment is found through the path of its interpreter only: the link that the installer made for the
    hook has to be followed, but not the environment's own link to the base interpreter.
    """
    candidate = python
    for _ in range(8):
        directory = system.directory_of(candidate)
        if system.exists(directory + "/pyvenv.cfg") or system.exists(system.directory_of(directory) + "/pyvenv.cfg"):
            return candidate
        try:
            target = system.readlink(candidate)
        except OSError:
            break
        candidate = target if target.startswith("/") else directory + "/" + target
    return python


def _write_parts(parts: "list[str]") -> int:
    """A handle from which the child reads ``parts``: each as its length in bytes on a line, then the bytes."""
    import posix

    if hasattr(posix, "memfd_create"):
        handle = posix.memfd_create("unpretty", posix.MFD_CLOEXEC)
    else:  # pragma: no cover  macOS
        name = f"{parts[0]}.{system.urandom(8).hex()}"
        handle = posix.open(name, posix.O_RDWR | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o600)
        posix.unlink(name)
    try:
        if handle < 3:  # a standard handle is closed, so the handles cannot be told apart
            raise OSError("no standard handles")
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            system.write_all(handle, b"%d\n" % len(data))
            system.write_all(handle, data)
    except BaseException:
        system.close(handle)
        raise
    return handle


def _spawn(python: str, handle: int) -> int:
    """Start the child with ``handle`` as its standard input, and return its process id."""
    import posix

    environment = {name: posix.environ[name] for name in _KEPT_VARIABLES if name in posix.environ}
    actions = [
        (posix.POSIX_SPAWN_DUP2, handle, 0),
        (posix.POSIX_SPAWN_OPEN, 1, "/dev/null", posix.O_WRONLY, 0),
        (posix.POSIX_SPAWN_OPEN, 2, "/dev/null", posix.O_WRONLY, 0),
    ]
    return posix.posix_spawn(python, [python, "-I", CHILD], environment, file_actions=actions)


def _reap() -> None:
    """Take the exit status of children that ended: a worker lives on, and they would remain as zombies."""
    import posix

    for child in list(_started):
        try:
            ended, _ = posix.waitpid(child, posix.WNOHANG)
        except OSError:
            ended = child
        if ended:
            _started.remove(child)
