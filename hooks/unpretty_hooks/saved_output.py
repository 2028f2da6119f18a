"""Reading the file in which an agent saved a result that it truncated. Loaded only when such a file has to be read."""

from unpretty.engine import system

_TYPE, _REGULAR = 0o170000, 0o100000


def read_saved(path: str, directory: str, max_bytes: int) -> "str | None":
    """The text of the file at ``path``, which must be directly in a directory named ``directory``.

    None when it is not a regular file there, larger than ``max_bytes`` bytes, or not readable as UTF-8.
    """
    if not path.replace("\\", "/").rpartition("/")[0].endswith("/" + directory):
        return None
    try:
        handle = system.open_file(path, system.READ | system.NO_FOLLOW | system.NO_WAIT)
    except (OSError, ValueError):
        return None
    try:
        status = system.fstat(handle)
        if status.st_mode & _TYPE != _REGULAR or status.st_size > max_bytes:
            return None
        return system.read_to_end(handle, max_bytes).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    finally:
        system.close(handle)
