"""The operating system calls that the hook makes, without ``import os``.

``os`` is a fourth of what the hook may cost, and nearly all of it is code that a hook does not need. Its functions come
from the built-in module that it wraps, which the interpreter has loaded already.
"""

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

if sys.platform == "win32":  # pragma: no cover  measured on Linux only
    import nt as _calls
else:
    import posix as _calls

close = _calls.close
exit_now = _calls._exit
fstat = _calls.fstat
getpid = _calls.getpid
lseek = _calls.lseek
read = _calls.read
readlink = _calls.readlink
replace = _calls.replace
stat = _calls.stat
unlink = _calls.unlink
urandom = _calls.urandom
write = _calls.write

CREATE, EXCLUSIVE, TRUNCATE = _calls.O_CREAT, _calls.O_EXCL, _calls.O_TRUNC
APPEND, READ, WRITE = _calls.O_APPEND, _calls.O_RDONLY, _calls.O_WRONLY
NO_FOLLOW: int = getattr(_calls, "O_NOFOLLOW", 0)
DIRECTORY: int = getattr(_calls, "O_DIRECTORY", 0)
NO_WAIT: int = getattr(_calls, "O_NONBLOCK", 0)
# Closed in children, and no line end translation on Windows.
_ALWAYS: int = getattr(_calls, "O_CLOEXEC", 0) | getattr(_calls, "O_BINARY", 0) | getattr(_calls, "O_NOINHERIT", 0)


def open_file(path: str, flags: int, mode: int = 0o600) -> int:
    """A handle that children do not inherit; raises OSError. A file that it creates belongs to the owner of HOME."""
    if flags & CREATE and home_owner() is not None:
        return _open_for_home_owner(path, flags | _ALWAYS, mode)
    return _calls.open(path, flags | _ALWAYS, mode)


def home_owner() -> "tuple[int, int] | None":
    """User id and group id of the owner of HOME where this is root in somebody else's; None when all is as usual.

    ``sudo -E``, ``sudo`` on macOS and image builds are so. What root creates there has to be the user's: a directory of
    root's with mode 0700 would keep the user's own agent out.
    """
    if sys.platform == "win32" or _calls.geteuid() != 0:
        return None
    home = environment("HOME") or ""
    try:
        status = stat(home) if home.startswith("/") else None
    except OSError:
        return None
    return (status.st_uid, status.st_gid) if status is not None and status.st_uid != 0 else None


def give_to_home_owner(handle: int) -> None:
    """Give the file or directory of ``handle``, just created, to the owner of HOME; see ``home_owner``.

    Raises:
        OSError: that is not possible; its ``strerror`` is a clause that follows the name of the file.
    """
    owner = home_owner()
    if sys.platform == "win32" or owner is None or fstat(handle).st_uid == owner[0]:
        return
    try:
        _calls.fchown(handle, *owner)
    except OSError as exc:
        raise not_given(exc, owner[0]) from None


def not_given(exc: OSError, user: int) -> OSError:
    """What to raise when something that root created cannot be given to the owner of HOME, whose id is ``user``."""
    return OSError(exc.errno, f"cannot be given to user {user}, the owner of HOME ({exc.strerror})")


def _open_for_home_owner(path: str, flags: int, mode: int) -> int:
    """Open the file that is there, or create it; only what did not exist is given away."""
    for _ in range(3):
        if not flags & EXCLUSIVE:
            try:
                return _calls.open(path, flags & ~CREATE)
            except FileNotFoundError:
                pass
        try:
            handle = _calls.open(path, flags | EXCLUSIVE, mode)
        except FileExistsError:
            if flags & EXCLUSIVE:
                raise
            continue  # another process was faster, or it is a link that leads nowhere
        try:
            give_to_home_owner(handle)
        except OSError:
            close(handle)
            unlink(path)
            raise
        return handle
    raise FileNotFoundError(2, "leads nowhere", path)


def give_directory(path: str) -> None:
    """Give the directory at ``path``, just created, to the owner of HOME; raises OSError, and then it is gone again."""
    if home_owner() is None:
        return
    handle = _calls.open(path, READ | DIRECTORY | NO_FOLLOW | _ALWAYS)
    try:
        give_to_home_owner(handle)
    except OSError:
        _calls.rmdir(path)
        raise
    finally:
        close(handle)


def is_utf8(text: str) -> bool:
    """Whether ``text`` can be written as UTF-8: half a surrogate pair cannot."""
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def python_directory() -> str:
    """The running Python's ``pythonX.Y`` below ``lib``; a ``t`` ends it for a build without the global lock."""
    free_threaded = "t" if "t" in getattr(sys, "abiflags", "") else ""
    return f"python{sys.version_info[0]}.{sys.version_info[1]}{free_threaded}"


def environment(name: str) -> "str | None":
    """The value of an environment variable, None when it is not set."""
    if "os" in sys.modules:
        return sys.modules["os"].environ.get(name)  # type: ignore[no-any-return]
    if sys.platform == "win32":
        return _calls.environ.get(name.upper())
    value = _calls.environ.get(name.encode())
    return None if value is None else value.decode("utf-8", "surrogateescape")


def exists(path: str) -> bool:
    """Whether there is something at ``path``; a link that leads nowhere counts as nothing."""
    try:
        stat(path)
    except (OSError, ValueError):
        return False
    return True


def make_directories(path: str) -> None:
    """Create the directory ``path`` and those above it with mode 0700; raises OSError. Rare enough to load ``os``."""
    import os

    if os.path.isdir(path):
        return
    make_directories(directory_of(path))
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:  # another process was faster
        return
    give_directory(path)


def is_selftest() -> bool:
    """True while the installer or doctor tests the hook or the proxy: default settings, no log."""
    return environment("UNPRETTY_SELFTEST") == "1"


def is_uninstalled() -> bool:
    """True in a hook, worker or proxy whose script ``uninstall`` deleted while it ran: it must not create files."""
    script = getattr(sys.modules.get("__main__"), "__file__", None) or ""
    try:
        if script.endswith(("hook.py", "proxy.py")):
            stat(script)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def directory_of(path: str) -> str:
    """The directory of ``path``, which is absolute."""
    return path[: max(path.rfind("/"), path.rfind("\\"), 0)] or "/"


def read_file(path: str, limit: int) -> bytes:
    """At most ``limit`` bytes of the file at ``path``; raises OSError."""
    handle = open_file(path, READ)
    try:
        return read(handle, limit)
    finally:
        close(handle)


def read_tail(path: str, size: int) -> "tuple[bytes, bool]":
    """The last ``size`` bytes of a file, and whether that is all of it; nothing when it cannot be read."""
    try:
        handle = open_file(path, READ | NO_WAIT)
    except (OSError, ValueError):
        return b"", True
    try:
        length = fstat(handle).st_size
        lseek(handle, max(0, length - size), 0)
        return read_to_end(handle, size), length <= size
    except OSError:
        return b"", True
    finally:
        close(handle)


def read_to_end(handle: int, limit: int, is_whole: "Callable[[list[bytes]], bool] | None" = None) -> bytes:
    """What is left to read, up to about ``limit`` bytes more than that; raises OSError.

    ``is_whole`` is asked after each piece, with all pieces so far, whether nothing more needs to come.
    """
    pieces: list[bytes] = []
    size = 0
    while size <= limit:
        piece = _retry(lambda: read(handle, 1 << 20))
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
        if is_whole is not None and is_whole(pieces):
            break
    return b"".join(pieces)


def call_after(seconds: float, call: "Callable[[], None]") -> None:
    """Have ``call`` run in the main thread when ``seconds`` have passed; it replaces an earlier one that is pending.

    It interrupts a system call that blocks; what it raises comes out of that. Does nothing on Windows.

    ``_signal`` is private but loaded in every interpreter; the public module would cost a third of the hook, since it
    imports ``enum``.
    """
    if sys.platform == "win32":  # pragma: no cover
        return
    try:
        import _signal as signals  # type: ignore[import-not-found]
    except ImportError:  # pragma: no cover  an interpreter of another make
        import signal as signals
    signals.signal(signals.SIGALRM, lambda *_: call())
    signals.pthread_sigmask(signals.SIG_UNBLOCK, (signals.SIGALRM,))  # a parent's mask is inherited
    signals.setitimer(signals.ITIMER_REAL, seconds)


def write_all(handle: int, data: bytes) -> None:
    """Write all of ``data``; raises OSError."""
    view = memoryview(data)
    while view:
        view = view[_retry(lambda: write(handle, view)) :]  # noqa: B023  called at once


def _retry(call: "Callable[[], T]") -> "T":
    """The result of ``call``, made again while it would block: a pipe that we were given may be set not to wait."""
    while True:
        try:
            return call()
        except BlockingIOError:
            time.sleep(0.001)
