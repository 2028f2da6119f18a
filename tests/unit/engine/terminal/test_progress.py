"""A carriage return in data is a line end, in progress a movement: only recognised progress may be removed."""

import json

import pytest

from unpretty.engine.compaction import compact
from unpretty.engine.context import SHELL, Context
from unpretty.engine.terminal import reduce_noise
from unpretty.engine.terminal.progress import columns, is_state, may_hide

from .progress_samples import SAMPLES

ALPHABET = "abcdefghij"


def json_with_returns() -> str:
    return '{\r  "price": 1.50,\r  "done": "50%",\r  "part": "(3/9)",\r  "name": "' + "x" * 500 + '"\r}\n'


def csv_with_returns() -> str:
    return "id,name,total\r" + "".join(f"{i},customer {i},{i * 10}\r" for i in range(60)) + "\nMon Nov 30\n"


def mails() -> str:
    return "".join(
        f"{i}|Dear customer {i},\rwe regret to inform you that order {i} is late.\rRegards\n" for i in range(12)
    )


def retries() -> str:
    return "".join(
        f"ERROR: job {i} failed: disk full on /dev/sd{c}\rretrying job {i} now\n" for i, c in enumerate(ALPHABET)
    )


DATA = {
    "whitespace of JSON": json_with_returns(),
    "whitespace of JSON, beside line feeds": '[\n  "10%",\r  "20%",\r  "30%"\n]\n',
    "an array of numbers": "[\r  1,\r  2,\r  3\r]\n",
    "documents, one after the other": '{"done": "10%"}\r{"done": "20%"}\r{"done": "30%"}\n',
    "progress, then a document on the same line": 'at 10%\rat 20%\r{"a": 1}\n',
    "progress, then the first line of a document": "at 10%\rat 20%\r[\n  1\n]\n",
    "progress, then a document without quotes": "at 10%\rat 20%\r[1, 2, 3]\n",
    "rows of an old text file": csv_with_returns(),
    "rows whose fields are percentages": "name,rate\ra,50%\rb,60%\rc,70%\nx\n",
    "rows whose last field is a percentage, with blanks": "1, 50%\r2, 60%\r3, 70%\nx\n",
    "rows that begin with a percentage": "50%,a\r60%,b\r70%,c\nx\n",
    "rows of tabs": "1\t50%\r2\t60%\r3\t70%\nx\n",
    "rows of a database": "1|50%|a\r2|60%|b\r3|70%|c\nx\n",
    "rows of a table": "| 1 | 50% |\r| 2 | 60% |\r| 3 | 70% |\nx\n",
    "rows whose last field ends in a percentage": "1,grew 50%\r2,grew 60%\r3,grew 70%\nx\n",
    "rows whose last field ends in a percentage, by semicolons": "1;grew 50%\r2;grew 60%\r3;grew 70%\nx\n",
    "rows of a database whose last field ends in a percentage": "1|grew 50%\r2|grew 60%\r3|grew 70%\nx\n",
    "columns of one width, a number in front": "1001  Alice Smith    50%\r1002  Bob Jones     60%\nx\n",
    "columns of one width, a fraction at the end": "1001  Alice Smith   (3/9)\r1002  Bob Jones    (4/9)\nx\n",
    "a list of YAML": "- 10%\r- 20%\r- 30%\nx\n",
    "times of runners": "0:45:12 Alice\r0:46:33 Bob\nx\n",
    "times of songs": "Track 0:03:15 Intro\rTrack 0:05:20 Verse\nx\n",
    "times that are left for different things": "eta 12:30 flight A\reta 13:30 flight B\nx\n",
    "marks of a school": "88/100 Alice\r92/100 Bob\nx\n",
    "marks in subjects": "Score: 88/100 math\rScore: 92/100 art\nx\n",
    "lengths": "1/2 m of cable\r3/4 m of cable\nx\n",
    "sentences that begin with the same word": "Revenue grew 10% in May\rRevenue for June is not known yet\nx\n",
    "sentences that begin with one word and a percentage": "Discount 50% on shoes\rDiscount ends today\nx\n",
    "a mark of a school, then a word": "Score: 88/100\rScore: none yet\nx\n",
    "an error whose line was cleared to its right": "remote: ERROR: no space\x1b[K\rremote: trying again\x1b[K\n",
    "equal rows": "a,1\ra,1\ra,1\nx\n",
    "rows that each begin with the one before": "1\r12\r123\r1234\nx\n",
    "signs of numbers": "-5\r5\r-5\nx\n",
    "dates": "3/9/2024 rain\r4/9/2024 sun\r5/9/2024 snow\nx\n",
    "dates without a year": "3/9 rain\r4/9 sun\r5/9 snow\nx\n",
    "months": "3/2024\r4/2024\r5/2024\nx\n",
    "times of log lines": "12:00:01 start\r12:00:02 stop\nx\n",
    "pairs of numbers": "80/120 a\r85/130 b\r80/125 c\nx\n",
    "log lines with rates": "12:00:01 sent, 5 MB/s\r12:00:02 sent, 6 MB/s\nx\n",
    "log lines with paths": "[12:00:01] GET /src\r[12:00:02] GET /src\nx\n",
    "times of log lines in brackets": "[12:00:01] GET a\r[12:00:02] GET b\nx\n",
    "mails in fields": mails(),
    "a mail with a percentage": "5|Save 50% today,\rwe regret nothing.\rRegards\n",
    "front matter": "---\rtitle: x\r---\nx\n",
    "an error that a retry wrote over": retries(),
    "an error with progress in it": "".join(f"ERROR at {i}% (3/9)\rERROR at {i + 1}% (4/9)\n" for i in range(9)),
    "a sentence with a percentage": "the disk is 90% full\rnothing else to say\n",
    "a sentence wiped by blanks": "the disk is gone\r                    \rok\n",
    "words that a step back wrote over": "the price is high\b\b\b\blow!\n",
    "a letter that a step back wrote over": "helo\blo\n",
    "an underlined word whose line came last": "word\b\b\b\b____\n",
    "words that a cursor code wrote over": "the price is high\x1b[Gno\n",
    "words that a cursor code wrote over, further right": "the price is high\x1b[5Gcosts\n",
    "words that were written over on an earlier line": "job 1 waits\njob 2 waits\n\x1b[2Ajob 1 done!\njob 2 done!\n",
    "an error below progress": "10%\nERROR\n\x1b[2A20%\nfine!\n",
    "an error in the rest of a longer state": "Receiving objects: 100% (9/9)\rERROR\rReceiving 1 object\n",
    "an error before an erased line": "ERROR: no space\rretrying\r\x1b[Kdone\n",
    "an error before an erased line, by steps back": "ERROR\b\b\b\b\bretry\r\x1b[Kdone\n",
    "an error before an erased line of another length": "ERROR: no space\rretry\x1b[2K\rdone\n",
    "a document that a code erased": '{"a": 1}\r\x1b[K{"a": 2}\n',
    "an array that a code erased": "[1, 2]\r\x1b[Kdone\n",
    "a document that a code erased where it ends": '{"a": 1}\x1b[2Kdone\n',
    "the rest of a document that a code erased": '{"a": 1}\x1b[5D\x1b[Kdone\n',
    "a document that was redrawn": '{"a": 1}\x1b[K\r{"a": 2}\x1b[K\n',
    "a document that a code erased on an earlier line": '{"a": 1}\n\x1b[A\x1b[2Kdone\n',
    "a long line of wide characters that was erased": "日" * 41 + "\x1b[2K\rdone\n",
    "a member of a document that a code erased": '  "a": 1,\r\x1b[K  "b": 2\n',
    "a document that a code erased with the rest of the screen": 'a\n{"a": 1}\n\x1b[2A\x1b[Jdone\n',
    "a document that a code erased with the rest of the screen, redrawn": 'a\nb\n\x1b[A\x1b[2K{"a": 1}\x1b[A\x1b[Jc\n',
    "a long line": "processing " + "/very/long/path" * 8 + "\rdone\n",
    "a long line of progress": "x" * 78 + " 10%\r" + "x" * 78 + " 20%\n",
    "a long line of wide characters": "日" * 40 + " 10%\r" + "日" * 40 + " 20%\n",
    "a long line that was erased": "x" * 81 + "\r\x1b[Kdone\n",
    "a long line that was erased after it": "x" * 81 + "\x1b[2K\rdone\n",
    "a long line, cut by a code": "x" * 81 + "\r\x1b[3C\x1b[Kdone\n",
    "a long line, characters deleted": "x" * 81 + "\r\x1b[2P\n",
}


@pytest.mark.parametrize("name", DATA)
def test_text_that_is_no_progress_stays_byte_for_byte(name: str) -> None:
    assert reduce_noise(DATA[name]) is None


@pytest.mark.parametrize("name", DATA)
def test_a_line_of_data_stays_while_progress_beside_it_goes(name: str) -> None:
    if "\x1b[2A" in DATA[name] or "\x1b[A" in DATA[name]:  # goes back to earlier lines: left as a whole
        return
    progress = "".join(f"Receiving objects: {i}%\r" for i in range(100)) + "Receiving objects: 100%, done.\n"
    assert reduce_noise(progress + DATA[name]) == "Receiving objects: 100%, done.\n" + DATA[name]


@pytest.mark.parametrize(
    "text",
    [
        "name,{on}total{off}\r1,{on}total{off}\r2,x\n",
        "name,x\r{on}total{off},1\n",
        "{on}total{off}\b\b\b\b\bx\n",
    ],
)
def test_the_colours_of_grep_erase_no_rows_that_carriage_returns_end(text: str) -> None:
    """grep erases to the right with each colour, whatever the line holds; nothing was to be erased."""
    found = text.format(on="\x1b[01;31m\x1b[K", off="\x1b[m\x1b[K")
    other = "b,{on}total{off}\n".format(on="\x1b[01;31m\x1b[K", off="\x1b[m\x1b[K")
    assert reduce_noise(found) is None
    assert reduce_noise(found + other) == found + "b,total\n"


@pytest.mark.parametrize("name", SAMPLES)
def test_what_programs_write_over_their_own_progress_still_goes(name: str) -> None:
    text, shown = SAMPLES[name]()
    assert reduce_noise(text) == shown


@pytest.mark.parametrize("name", SAMPLES)
def test_an_error_among_progress_is_never_lost(name: str) -> None:
    """Unless a code erased it."""
    text, _ = SAMPLES[name]()
    before, sign, after = text.rpartition("\r")
    if not sign or "\x1b" in text:
        return
    text = before + "\rERROR: the disk is full\r" + after
    assert "ERROR: the disk is full" in (reduce_noise(text) or text)


GOES = {
    "text that a code erased": ("the price is high\r\x1b[Kok\n", "ok\n"),
    "text that a code erased where it ends": ("the price is high\x1b[2K\rok\n", "ok\n"),
    "steps back before an erased line": ("at 10%\b\b\b20%\r\x1b[Kok\n", "ok\n"),
    "a line that is redrawn and erased to its right": (
        "checking a.c\x1b[K\rchecking b.c\x1b[K\rok\n",
        "okecking b.c\n",
    ),
    "a state that blanks wipe": ("at 10%\r      \rok\n", "ok\n"),
    "the last state, under other words": ("at 10%\rat 20%\rdone  \n", "done\n"),
    "80 columns": ("x" * 76 + " 10%\r" + "x" * 76 + " 20%\n", "x" * 76 + " 20%\n"),
    "bold and underlined words of a manual": ("N\bNA\bAM\bME\bE _\bd_\bi_\br b\bb\bbo\bo\n", "NAME dir bo\n"),
    "a bullet of a manual": ("+\bo one\n", "o one\n"),
    "blanks in front": ("   \rabc\n", "abc\n"),
    "nothing in front": ("\r\rabc\n", "abc\n"),
    "dots": ("waiting.\rwaiting..\rwaiting...\n", "waiting...\n"),
    "states that name files with quotes, erased": ('"a" 10%\r\x1b[K"b" 20%\n', '"b" 20%\n'),
}


@pytest.mark.parametrize("name", GOES)
def test_what_a_code_erased_or_only_moved_goes(name: str) -> None:
    text, shown = GOES[name]
    assert reduce_noise(text) == shown
    assert reduce_noise(shown) is None


STATES = (
    "10%",
    " 10.5 %",
    "(10%)",
    "[ 50%] Building",
    "load...50%",
    "50%[==>  ] 1.2M",
    " 10%|#  | 1/10",
    "done: |##   | 50.0% complete",
    "(3/9)",
    "[3/9] files",
    "(xfr#5, to-chk=169/396)",
    "1.2/3.4 MB",
    "3.2MB/40MB",
    "1.5 MiB / 3 MiB",
    "Building [==>  ] 3/9: libc",
    "━━━━ 3/9",
    "file 17/500",
    "--:--:--",
    "eta 0:10",
    "elapsed 00:00:05",
    "copied 0:00:05",
    "12it [00:01,  9.9it/s]",
    "|",
    "==>",
    "⠋",
    "...",
)
NO_STATES = (
    "",
    "   ",
    "words",
    "a50%",
    "50%a",
    "-50%",
    "150%",
    "%20",
    "a,50%",
    "50%,a",
    "50%;60%",
    "| a | 50% |",
    "ERROR 50%",
    "3/9",
    "9/3",
    "3/9/2024",
    "3/2024",
    "a/b",
    "10.0.0.0/24",
    "3/9 files",
    "2 MiB/s",
    "12:00:01",
    "[12:00:01] GET /a",
    "a:b",
    "[]",
    "{",
    "1,",
    "----",
    "[==>   ]",
    "9" * 30 + "%",
    "1/" + "9" * 30,
)


@pytest.mark.parametrize("text", STATES)
def test_a_state_says_how_far_something_has_come(text: str) -> None:
    assert is_state(text)


@pytest.mark.parametrize("text", NO_STATES)
def test_what_may_be_data_is_no_state(text: str) -> None:
    assert not is_state(text)


def test_a_state_alone_may_be_hidden_by_another_one_of_the_same_thing_only() -> None:
    assert may_hide("Receiving: 1%", "Receiving: 2%", known=False) == (True, True)
    assert may_hide("Receiving: 1%", "Resolving: 2%", known=False) == (False, False)
    assert may_hide("Receiving: 1%", "done", known=False) == (False, False)
    assert may_hide("Receiving: 1%", "done", known=True) == (True, False)
    assert may_hide("words", "done", known=True) == (False, False)
    assert may_hide("file 17/500", "file 18/500", known=False) == (True, True)
    assert may_hide("file 17/500", "file 17/600", known=False) == (False, False)
    assert may_hide("Reading... 5% [", "Reading... Done", known=False) == (True, True)
    assert may_hide("(5%", "done", known=False) == (False, False)
    assert may_hide("1.2/3.4 MB", "1.3/3.4 MB", known=False) == (True, True)


@pytest.mark.parametrize(("text", "width"), [("", 0), ("abc", 3), ("é—█⠋", 4), ("日本", 4), ("📦", 2), ("a\tb", 10)])
def test_columns_are_what_a_text_takes_at_most(text: str, width: int) -> None:
    assert columns(text) == width


def test_json_whose_whitespace_is_carriage_returns_keeps_every_member() -> None:
    text = json_with_returns()
    done = compact(text, Context(SHELL, noise=True, min_gain=0))
    assert json.loads(done.text) == json.loads(text)
    assert done.decision.converted
    assert "noise" not in done.decision.steps
