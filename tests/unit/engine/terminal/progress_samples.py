"""What programs write while they show progress, by name: the output and what must be left of it.

Written after the programs' own formats, with the widths and the order of codes that they use.
"""

CURL_HEAD = (
    "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
    "                                 Dload  Upload   Total   Spent    Left  Speed\n"
)


def git_fetch() -> tuple[str, str]:
    """`git fetch --progress`: what the server says, and what git itself counts."""
    text = "remote: Enumerating objects: 1200, done.\x1b[K\n"
    for step in ("remote: Counting objects", "remote: Compressing objects"):
        text += "".join(f"{step}: {i:3}% ({12 * i}/1200)\x1b[K\r" for i in range(101))
        text += f"{step}: 100% (1200/1200), done.\x1b[K\n"
    text += "".join(
        f"Receiving objects: {i:3}% ({12 * i}/1200), {i / 10:.2f} MiB | {2 + i / 50:.2f} MiB/s\r" for i in range(101)
    )
    text += "Receiving objects: 100% (1200/1200), 10.05 MiB | 3.99 MiB/s, done.\n"
    text += "".join(f"Resolving deltas: {i:3}% ({5 * i}/500)\r" for i in range(101))
    text += "Resolving deltas: 100% (500/500), done.\nFrom example.test:a/b\n   1f2e3d4..5c6b7a8  main -> origin/main\n"
    shown = (
        "remote: Enumerating objects: 1200, done.\n"
        "remote: Counting objects: 100% (1200/1200), done.\nremote: Compressing objects: 100% (1200/1200), done.\n"
        "Receiving objects: 100% (1200/1200), 10.05 MiB | 3.99 MiB/s, done.\nResolving deltas: 100% (500/500), done.\n"
        "From example.test:a/b\n   1f2e3d4..5c6b7a8  main -> origin/main\n"
    )
    return text, shown


def git_checkout() -> tuple[str, str]:
    text = "".join(f"Updating files: {i:3}% ({i * 7}/700)\r" for i in range(30, 101))
    return text + "Updating files: 100% (700/700), done.\nSwitched to branch 'main'\n", (
        "Updating files: 100% (700/700), done.\nSwitched to branch 'main'\n"
    )


def curl() -> tuple[str, str]:
    rows = ["  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0"]
    rows += [
        f"{i:3}  117M  {i:3} {i * 117 // 100:3}.0M    0     0  9.8M      0  "
        f"0:00:11  0:00:{i // 10:02} 0:00:{10 - i // 10:02} 10.2M"
        for i in range(1, 100, 7)
    ]
    last = "100  117M  100  117M    0     0  9901k      0  0:00:12  0:00:12 --:--:-- 11.2M"
    return CURL_HEAD + "\r" + "\r".join([*rows, last]) + "\nok\n", CURL_HEAD + last + "\nok\n"


def curl_bar() -> tuple[str, str]:
    text = "".join(f"\r{'#' * (i * 72 // 100):72} {float(i):5.1f}%" for i in range(101))
    return text + "\nok\n", f"{'#' * 72} 100.0%\nok\n"


def pip_old() -> tuple[str, str]:
    text = "Collecting shop\n  Downloading shop-1.0-py3-none-any.whl (1.2 MB)\n"
    for i in range(33):
        text += f"\r\x1b[K     |{'█' * i:32}| {i * 40} kB 3.1 MB/s eta 0:00:01"
    return text + "\r\x1b[K     |" + "█" * 32 + "| 1.2 MB 3.1 MB/s \nInstalling shop\n", (
        "Collecting shop\n  Downloading shop-1.0-py3-none-any.whl (1.2 MB)\n     |"
        + "█" * 32
        + "| 1.2 MB 3.1 MB/s\nInstalling shop\n"
    )


def pip_rich() -> tuple[str, str]:
    text = "Collecting shop\n"
    for i in range(41):
        text += f"\r     {'━' * i}{'╸' if i < 40 else ''}{' ' * (39 - i)} {i * 0.03:.1f}/1.2 MB 3.1 MB/s eta 0:00:01"
    return text + "\r     " + "━" * 40 + " 1.2/1.2 MB 3.1 MB/s eta 0:00:00\nInstalling shop\n", (
        "Collecting shop\n     " + "━" * 40 + " 1.2/1.2 MB 3.1 MB/s eta 0:00:00\nInstalling shop\n"
    )


def docker_pull() -> tuple[str, str]:
    """`docker pull` on 80 columns: one line per layer, rewritten by moving up, erasing and moving down again."""
    layers = ("a1b2c3d4e5f6", "0f1e2d3c4b5a", "9a8b7c6d5e4f")
    text = "latest: Pulling from library/shop\n" + "".join(f"{layer}: Pulling fs layer \n" for layer in layers)
    for done in range(1, 51):
        for up, layer in zip((3, 2, 1), layers, strict=True):
            text += f"\x1b[{up}A\x1b[2K\r{layer}: Downloading {done * 0.6:.2f}MB/30MB\r\x1b[{up}B"
    for up, layer in zip((3, 2, 1), layers, strict=True):
        text += f"\x1b[{up}A\x1b[2K\r{layer}: Pull complete \r\x1b[{up}B"
    text += "Digest: sha256:0123\nStatus: Downloaded newer image for shop:latest\n"
    shown = "latest: Pulling from library/shop\n" + "".join(f"{layer}: Pull complete\n" for layer in layers)
    return text, shown + "Digest: sha256:0123\nStatus: Downloaded newer image for shop:latest\n"


def npm() -> tuple[str, str]:
    text = "".join(f"{sign}\x1b[1G\x1b[0K" for sign in "⠙⠹⠸⠼⠴⠦⠧⠇⠏⠋" * 9)
    return text + "\nadded 214 packages in 7s\n", "\nadded 214 packages in 7s\n"


def ora() -> tuple[str, str]:
    text = "".join(f"\x1b[2K\x1b[1G\x1b[36m{sign}\x1b[39m Building for production" for sign in "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏" * 4)
    return text + "\x1b[2K\x1b[1G\x1b[32m✔\x1b[39m Built\n", "✔ Built\n"


def spinner_before_words() -> tuple[str, str]:
    text = "".join(f"\r{sign} Resolving dependencies" for sign in "|/-\\" * 9)
    return text + "\n12 packages\n", "\\ Resolving dependencies\n12 packages\n"


def cargo() -> tuple[str, str]:
    text = ""
    for i, name in enumerate(("libc", "cfg-if", "memchr", "serde", "regex", "toml", "syn", "quote", "shop")):
        text += f"   Compiling {name} v1.{i}.0\n"
        for part in ("", "(build)"):
            bar = "=" * (i * 2) + ">"
            text += f"    Building [{bar:27}] {i}/9: {name + part:27}\r"
        text += "\x1b[K"
    shown = "".join(
        f"   Compiling {name} v1.{i}.0\n"
        for i, name in enumerate(("libc", "cfg-if", "memchr", "serde", "regex", "toml", "syn", "quote", "shop"))
    )
    last = "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 4.12s\n"
    return text + last, shown + last


def tqdm() -> tuple[str, str]:
    blocks = " ▏▎▍▌▋▊▉"
    text = ""
    for i in range(101):
        bar = "█" * (i // 10) + (blocks[i % 10 * 8 // 10].strip() if i < 100 else "")
        text += f"\rtraining: {i:3}%|{bar:10}| {i}/100 [00:{i // 5:02}<00:{20 - i // 5:02},  4.95it/s, loss=0.{i:02}]"
    return text + "\nsaved\n", "training: 100%|██████████| 100/100 [00:20<00:00,  4.95it/s, loss=0.100]\nsaved\n"


def tqdm_without_a_total() -> tuple[str, str]:
    text = "".join(f"\r{i * 13}it [00:{i:02}, 12.9{i % 10}it/s]" for i in range(40))
    return text + "\nsaved\n", "507it [00:39, 12.99it/s]\nsaved\n"


def wget() -> tuple[str, str]:
    text = "Saving to: 'shop.zip'\n\n"
    for i in range(0, 100, 3):
        bar = "=" * (i * 19 // 100) + ">"
        text += f"\rshop.zip            {i:3}%[{bar:19}] {i * 0.3:7.2f}M  3.10MB/s    eta {30 - i * 3 // 10}s    "
    text += f"\rshop.zip            100%[{'=' * 19}>]   30.00M  3.20MB/s    in 9.6s    \n\nsaved\n"
    return (
        text,
        f"Saving to: 'shop.zip'\n\nshop.zip            100%[{'=' * 19}>]   30.00M  3.20MB/s    in 9.6s\n\nsaved\n",
    )


def rsync() -> tuple[str, str]:
    text = "sending incremental file list\ndata.bin\n"
    for i in range(0, 101, 2):
        text += f"\r{i * 327680:15,} {i:3}%  146.38MB/s    0:00:{(100 - i) // 10:02}  "
    text += "\r     32,768,000 100%  150.01MB/s    0:00:00 (xfr#1, to-chk=0/2)\n\ntotal size is 32,768,000\n"
    shown = "     32,768,000 100%  150.01MB/s    0:00:00 (xfr#1, to-chk=0/2)\n\ntotal size is 32,768,000\n"
    return text, "sending incremental file list\ndata.bin\n" + shown


def scp() -> tuple[str, str]:
    text = "".join(
        f"\rshop-1.0.tar.gz                     {i:3}% {i * 90:5}KB   3.1MB/s   00:{(100 - i) // 10:02} ETA"
        for i in range(0, 100, 4)
    )
    last = "shop-1.0.tar.gz                     100%  9000KB   3.1MB/s   00:02    "
    return f"{text}\r{last}\n$\n", f"{last}ETA\n$\n".replace("    ETA", "")


def apt() -> tuple[str, str]:
    text = "".join(f"\rReading package lists... {i}%\r" for i in range(0, 100, 7)) + "\rReading package lists... Done\n"
    text += "(Reading database ... \r" + "".join(f"(Reading database ... {i}%\r" for i in range(5, 101, 5))
    text += "(Reading database ... 12345 files and directories currently installed.)\n"
    return text, (
        "Reading package lists... Done\n(Reading database ... 12345 files and directories currently installed.)\n"
    )


def ninja() -> tuple[str, str]:
    text = "".join(f"\r[{i}/212] Building CXX object src/part{i % 9}.cc.o\x1b[K" for i in range(1, 212))
    last = "[212/212] Linking CXX executable bin/shop"
    return f"{text}\r{last}\x1b[K\n", last + "\n"


def percent_by_backspaces() -> tuple[str, str]:
    text = "Extracting a.txt   0%" + "".join(f"\b\b\b\b{i:3}%" for i in range(1, 101))
    return text + "\b\b\b\b OK \nEverything is Ok\n", "Extracting a.txt  OK\nEverything is Ok\n"


def spinner_by_backspaces() -> tuple[str, str]:
    return "Loading " + "|\b/\b-\b\\\b" * 9 + " \nready\n", "Loading\nready\n"


def yarn() -> tuple[str, str]:
    text = "[1/4] Resolving packages...\n"
    for i in range(0, 501, 9):
        bar = "#" * (i * 40 // 500)
        text += f"\x1b[2K\x1b[1G[{bar:-<40}] {i}/500"
    return (
        text + "\x1b[2K\x1b[1G[2/4] Fetching packages...\n",
        "[1/4] Resolving packages...\n[2/4] Fetching packages...\n",
    )


SAMPLES = {
    "git fetch": git_fetch, "git checkout": git_checkout, "curl": curl, "curl -#": curl_bar, "pip, old": pip_old,
    "pip": pip_rich, "docker pull": docker_pull, "npm": npm, "ora": ora, "a spinner before words": spinner_before_words,
    "cargo": cargo, "tqdm": tqdm, "tqdm without a total": tqdm_without_a_total, "wget": wget, "rsync": rsync,
    "scp": scp, "apt-get": apt, "ninja": ninja, "a percentage by backspaces": percent_by_backspaces,
    "a spinner by backspaces": spinner_by_backspaces, "yarn": yarn,
}  # fmt: skip
