import type { Guide } from './guide.ts';

export const copyGuide: Guide = {
  id: 'copy',
  programs: ({ baseUrl, origin }) => [
    { name: 'JavaScript', code: javascript(origin) },
    { name: 'Python', code: python(baseUrl) },
    {
      name: 'curl',
      code: `curl -N --max-time 60 -H 'Accept: text/event-stream' '${baseUrl}/changes'`,
    },
  ],
};

const javascript = (
  origin: string,
) => `// copy.mjs, with @fathom-reputation/client (install: docs/integrate.md)
import { Fathom, WalletCopy } from '@fathom-reputation/client';

const copy = new WalletCopy(new Fathom({ url: '${origin}' }));
for await (const { cursor } of copy.keep()) {
  console.log(copy.wallets.size, 'wallets, up to', cursor);
}`;

const python = (
  baseUrl: string,
) => `# copy.py: all scores, in copy.json; run it again for what has changed since
import json
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

STATE = Path("copy.json")
PAGE = 500


def get(path):
    while True:
        try:
            # Never from a cache: a page there may be older than the cursor.
            request = Request("${baseUrl}" + path, headers={"Cache-Control": "no-cache"})
            with urlopen(request) as response:
                return json.load(response), response.headers
        except HTTPError as error:
            if error.code not in (429, 503):
                raise
            time.sleep(int(error.headers.get("Retry-After", 5)) + 1)


def commit(cursor):
    return int(cursor.split("-")[0])


def follow(state, changed):
    """Applies all changes since state["after"], and returns how many wallets have fallen."""
    fallen, more = 0, True
    while more:
        page, _ = get("/changes?limit=1000&after=" + state["after"])
        for change in page["changes"]:
            if "address" not in change:
                continue  # New rules: what they change follows.
            if "noActivity" in change:
                state["scores"].pop(change["address"], None)
            else:
                state["scores"][change["address"]] = change["score"]
            changed.add(change["address"])
            before = change["previousScore"]
            fallen += before is not None and change["score"] <= before
        state["after"], more = page["next"], page["hasMore"]
    return fallen


def fill():
    """Reads the leaderboard, and after each page what has changed meanwhile."""
    state, changed = {"after": get("/changes?limit=1")[0]["next"], "scores": {}}, set()
    known = overlap = 0
    while True:
        offset = max(0, known - overlap)
        page, headers = get(f"/leaderboard?limit={PAGE}&offset={offset}")
        shown = headers["Reputation-Cursor"].split(", ")
        if headers["Reputation-Status"] == "stale" or commit(shown[0]) < commit(state["after"]):
            time.sleep(1)
            continue
        for user in page["leaderboard"]:
            if user["address"] not in changed:
                state["scores"][user["address"]] = user["score"]
        fallen = follow(state, changed)
        while commit(state["after"]) < commit(shown[-1]):
            time.sleep(1)
            fallen += follow(state, changed)
        # A wallet that falls moves others up, past the start of the page if it was read later.
        if offset == 0 or fallen <= known - offset:
            if offset + PAGE >= page["total"]:
                return state
            known = offset + PAGE
        known, overlap = max(0, known - fallen), min(2 * fallen, PAGE // 2)


state = json.loads(STATE.read_text()) if STATE.exists() else None
try:
    if state is not None:
        follow(state, set())
except HTTPError as error:
    if error.code != 410:
        raise
    state = None  # The cursor is gone, and with it what came after.
if state is None:
    state = fill()
# Together, so that neither can be newer than the other.
part = STATE.with_suffix(".part")
part.write_text(json.dumps(state))
part.replace(STATE)
print(len(state["scores"]), "wallets, up to", state["after"])`;
