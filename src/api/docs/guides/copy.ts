import type { Guide } from './guide.ts';

export const copyGuide: Guide = {
  id: 'copy',
  programs: ({ baseUrl, origin }) => [
    { name: 'JavaScript', code: javascript(origin) },
    { name: 'Python', code: python(baseUrl) },
    {
      name: 'curl',
      code: `curl -N --max-time 60 -H 'Accept: text/event-stream' '${baseUrl}/changes?after=0'`,
    },
  ],
};

const javascript = (
  origin: string,
) => `// copy.mjs, with fathom-client (see client/ in the repository)
import { Fathom, WalletCopy } from 'fathom-client';

const copy = new WalletCopy(new Fathom({ url: '${origin}' }));
for await (const { cursor } of copy.keep()) {
  console.log(copy.wallets.size, 'wallets, up to', cursor);
}`;

const python = (
  baseUrl: string,
) => `# changes.py: all changes since it ran last, at first all that are kept
import json
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

STATE = Path("changes.json")
state = json.loads(STATE.read_text()) if STATE.exists() else {"after": "0", "scores": {}}

more = True
while more:
    try:
        with urlopen("${baseUrl}/changes?limit=1000&after=" + state["after"]) as response:
            page = json.load(response)
    except HTTPError as error:
        problem = json.load(error)
        raise SystemExit(f"{problem['code']}: {problem['detail']}")
    for change in page["changes"]:
        if "noActivity" in change:
            state["scores"].pop(change["address"], None)
        elif "address" in change:
            state["scores"][change["address"]] = change["score"]
    state["after"], more = page["next"], page["hasMore"]
    # Together, so that neither can be newer than the other.
    part = STATE.with_suffix(".part")
    part.write_text(json.dumps(state))
    part.replace(STATE)

print(len(state["scores"]), "wallets, up to", state["after"])`;
