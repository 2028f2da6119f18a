"""Does a command show a file? In doubt yes: an edit that no longer matches costs more than some tokens."""

import pytest

from unpretty.engine.commands import asks_for_original, reads_file, searches_files, shows_file


@pytest.mark.parametrize(
    "command",
    [
        "cat package.json",
        "cat -n a b",
        "/bin/cat a",
        "head -50 a.json",
        "tail a.json; echo done",
        "cd x && cat a.json",
        "ls\ncat a.json",
        "sed -n '1,20p' a.json",
        "awk 'NR<9' a.json",
        "bat a.json",
        "nl a.json",
        "type a.json",
        "Get-Content a.json",
        "git show HEAD:a.json",
        "git -C x show main:a.json",
        "git cat-file -p abc",
        "cat a.json | head",
        "cat a.json | grep -v x | sort",
        "cat <a.json",
        "A=1 cat a.json",
        "sudo cat a.json",
        "time cat a.json",
        "ssh host 'cat a.json'",
        "docker exec c cat a.json",
        "bash -c 'cat a.json'",
        'bash -c "sed -n 1,9p a.json"',
        "find . -name a.json -exec cat {} \\;",
        "ls | xargs cat",
        "echo $(cat a.json)",
        "echo `cat a.json`",
        "(cat a.json)",
        "'cat' a.json",
        "\\cat a.json",
        "C:\\\\bin\\\\cat.exe a.json",
        "true || cat a.json",
        "cat ''",
        "zcat a.json.gz",
        "cat a.json || true",
        "cat a.json 2>/dev/null || echo none",
        "git show HEAD:a.json || true",
        "test -f a && cat a || echo no",
        "for f in *.json; do cat $f; done",
        "for f in a b; do echo $f; head -20 $f; done",
        "if cat a; then true; fi",
        "! cat a",
        "while read f; do tail $f; done <list",
        "cat a | while read line; do echo $line; done",
        "case x in y) cat a;; esac",
        "f() { cat a; }; f",
        'echo "$(cat a.json)"',
        'echo "`cat a.json`"',
        'printf %s "$(<a.json)"',
        'curl -d "{\\"a\\": 1}" x >out.json; cat out.json',
        "# Let's see\ncat a.json",
        "tee notes <<'EOF'\nit's\nEOF\ncat a.json",
        "bash <<'EOF'\ncd x && cat a.json\nEOF",
        "cat<a.json",
        "<a.json cat",
        "cat a |\nhead",
        "cat a | sudo tee b",
        "cut -c1-200 a.json",
        "tr -d '\\r' <a.json",
        "sort a",
        "perl -pe 's/x/y/' a",
        'powershell -Command "Get-Content a.json"',
        "cmd /c type a.json",
        "bash -c 'cd x;cat a.json'",
        "bash -lc \"ssh h 'cat x'\"",
        "eval 'cat a.json'",
        "svn cat a.json",
        "python3 -c \"print(open('a.json').read())\"",
        "python3 - <<'E'\nfrom pathlib import Path\nprint(Path('a.json').read_text())\nE",
        "node -p \"require('fs').readFileSync('a.json', 'utf8')\"",
        "cat a >/dev/stderr",
        "cat a >&2",
    ],
)
def test_commands_that_show_files(command: str) -> None:
    assert shows_file(command)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "gh api repos/x/y",
        "curl -s https://example.com | head -50",
        "cat a.json | jq .",
        "cat a.json | python3 -m json.tool",
        "jq . a.json",
        "python3 -m json.tool a.json",
        "kubectl get pods -o json",
        "docker inspect c | head",
        "echo cat",
        "git show",
        "git show --stat HEAD",
        "git log | cat",
        "npm ls --json | tail -100",
        "sed -i s/a/b/ a.json",
        "./category --list",
        "aws s3api list-objects --bucket tail",
        "'unclosed",
        "gh api x || true",
        "gh api x 2>&1 | head",
        "(gh api x; gh api y) | head",
        "for n in 1 2; do gh api $n; done | head",
        "gh api x |\nhead",
        "cat >q.json <<'EOF'\n{}\nEOF\ngh api graphql --input q.json",
        "cat a b >c",
        "cat <<'EOF' | kubectl apply -o json -f -\nx\nEOF",
        "python3 - <<'EOF'\nhead = 1\ncat = 2\nEOF",
        "git commit -m 'cat a'",
        "echo 'a; cat b'",
        "python3 -c \"import json; print(json.dumps(json.loads(open('a').read()), indent=1))\"",
        "a\\",
    ],
)
def test_commands_that_do_not(command: str) -> None:
    assert not shows_file(command)


@pytest.mark.parametrize(
    "tool",
    [
        "mcp__fs__read_file",
        "mcp__filesystem__read_text_file",
        "mcp__gh__get_file_contents",
        "mcp__x__view-file",
        "mcp__x__cat",
        "mcp__x__readFile",
        "mcp__x__READ_FILE",
        "mcp__x__readTextFile",
        "mcp__x__get_file",
        "mcp__x__fetch-file",
        "mcp__x__getFileContents",
        "mcp__x__read_notebook",
        "mcp__jetbrains__get_file_text_by_path",
    ],
)
def test_mcp_tools_that_hand_out_files(tool: str) -> None:
    assert reads_file(tool)


@pytest.mark.parametrize(
    "tool",
    [
        "mcp__gh__list_files",
        "mcp__gh__get_pull_request_files",
        "mcp__db__read_rows",
        "mcp__x__profile_view",
        "mcp__x__get_file_info",
        "mcp__x__upload_file",
        "mcp__files__list",
        "",
    ],
)
def test_mcp_tools_that_do_not(tool: str) -> None:
    assert not reads_file(tool)


def test_a_very_long_command_is_read_in_linear_time() -> None:
    assert shows_file("echo " + "'a b' " * 50_000 + "; cat x")


@pytest.mark.parametrize(
    "command",
    [
        "grep -A99 '{' a.json",
        "rg x | head",
        "git grep x",
        "cd a && egrep x b",
        "find . | xargs grep x",
        "ssh h 'grep x y'",
        "rg x || true",
        "for f in a b; do grep -h x $f; done",
        "findstr /n x *.json",
        "powershell -c 'Select-String x *.json'",
    ],
)
def test_commands_that_print_lines_of_files(command: str) -> None:
    assert searches_files(command)
    assert not shows_file(command)


@pytest.mark.parametrize(
    "command", ["", "curl x | grep y", "gh api x", "rg x --json | jq .", "git status", "echo grep"]
)
def test_commands_that_search_no_files(command: str) -> None:
    assert not searches_files(command)


@pytest.mark.parametrize(
    "command",
    [
        "UNPRETTY_RAW=1 gh api users",
        'UNPRETTY_RAW="1" gh api users',
        "UNPRETTY_RAW='1' gh api users",
        "UNPRETTY_RAW=\\1 gh api users",
        "UNPRETTY_RAW=$'1' gh api users",
        'UNPRETTY_RAW=$"1" gh api users',
        "UNPRETTY_RAW=\\\n1 gh api users",
        "UNPRETTY_RAW='1'",
        "LANG=C UNPRETTY_RAW='1' gh api users",
        "cd x && UNPRETTY_RAW='1' gh api users",
        "env UNPRETTY_RAW='1' gh api users",
        'env "UNPRETTY_RAW=1" gh api users',
        "env 'UNPRETTY_RAW'=1 gh api users",
        "sudo env UNPRETTY_RAW=1 gh api users",
        'export UNPRETTY_RAW="1"; gh api users',
        "export LANG=C UNPRETTY_RAW='1'\ngh api users",
        "declare -x UNPRETTY_RAW='1'; gh api users",
        """bash -lc 'UNPRETTY_RAW="1" gh api users'""",
        """bash -lc "UNPRETTY_RAW=\\"1\\" gh api users" """,
        """bash -lc 'UNPRETTY_RAW='"'"'1'"'"' gh api users'""",
        "set -x UNPRETTY_RAW 1; gh api users",
        "set -lx UNPRETTY_RAW '1'; gh api users",
        "setenv UNPRETTY_RAW 1; gh api users",
        "set UNPRETTY_RAW=1&& gh api users",
        'set "UNPRETTY_RAW=1" && gh api users',
        '$env:UNPRETTY_RAW = "1"; gh api users',
        "$env:UNPRETTY_RAW='1'; gh api users",
        "UNPRETTY_RAW=0 a; UNPRETTY_RAW='1' b",
    ],
)
def test_the_marker_counts_in_every_spelling_that_a_shell_takes_for_the_same_assignment(command: str) -> None:
    assert asks_for_original(command)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "gh api users",
        "UNPRETTY_RAW=0 gh api users",
        "UNPRETTY_RAW= gh api users",
        'UNPRETTY_RAW="" gh api users',
        "UNPRETTY_RAW=$1 gh api users",
        "UNPRETTY_RAW=off gh api users",
        "unset UNPRETTY_RAW; gh api users",
        "grep -rn UNPRETTY_RAW 1.txt",
        "echo $UNPRETTY_RAW 1",
        "set -x; echo UNPRETTY_RAW 1",
        "UNPRETTY=1 gh api users",
    ],
)
def test_a_command_that_only_names_the_marker_or_sets_it_to_something_else_asks_for_nothing(command: str) -> None:
    assert not asks_for_original(command)
