"""The name of a shell command, and no more of it: arguments hold paths, addresses and secrets."""

from __future__ import annotations

import re

# Commands before the one that prints: they change the directory or the environment.
_BEFORE = frozenset(("cd", "pushd", "export", "set", "unset", "source", ".", "umask", "ulimit", "true", ":", "sleep"))
_SEPARATOR = re.compile(r"&&|\|\||;|\n")
# Each character fits one alternative only: otherwise an odd number of quotes would take forever.
_ASSIGNMENT = re.compile(r"\w+=(?:'[^']*'|\"[^\"]*\"|[^\s'\"])*\s+")
_NAME = re.compile(r"[\w.+-]{1,40}")
OTHER = "(other)"


def command_name(command: str) -> str:
    """The first word of the first command in ``command`` that prints something, without its directory; "" for none.

    What does not look like the name of a program is ``OTHER``.

    >>> command_name("cd /srv && TOKEN=s3cret /usr/bin/curl https://example.org")
    'curl'
    """
    name = ""
    for part in _SEPARATOR.split(command[:4000]):
        rest = part.strip()
        while (assignment := _ASSIGNMENT.match(rest)) is not None:
            rest = rest[assignment.end() :]
        word = rest.split(maxsplit=1)[0] if rest else ""
        if not word or word.startswith("#"):
            continue
        last = word.replace("\\", "/").rpartition("/")[2]
        name = last if _NAME.fullmatch(last) and "=" not in word else OTHER
        if name not in _BEFORE:
            return name
    return name
