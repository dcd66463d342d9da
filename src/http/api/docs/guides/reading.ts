import type { CodeExample } from '#http/api/docs/code';
import { TIERS } from '#reputation';

/** What the programs of a guide are made for. */
export interface GuideOptions {
  /** Base URL of the API, ending in `/v1`. */
  readonly baseUrl: string;
  /** Base URL of the instance. */
  readonly origin: string;
}

/** One task with complete programs for it. */
export interface Guide {
  readonly id: 'gate' | 'leaderboard' | 'copy' | 'webhooks';
  programs(options: GuideOptions): readonly CodeExample[];
}

const LOWEST_FIRST = TIERS.toReversed();

export const gateGuide: Guide = {
  id: 'gate',
  programs: ({ baseUrl }) => [
    { name: 'JavaScript', code: javascript(baseUrl) },
    { name: 'Python', code: python(baseUrl) },
    { name: 'Go', code: go(baseUrl) },
  ],
};

const javascript = (baseUrl: string) => `// gate.mjs, for Node 18 or newer: node gate.mjs ADDRESS
const TIERS = [${LOWEST_FIRST.map((tier) => `'${tier}'`).join(', ')}];

/** Returns true or false, or undefined where that isn't known right now. */
async function mayEnter(address, least = 'Shark') {
  const url = \`${baseUrl}/reputation/\${encodeURIComponent(address)}\`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    if (response.headers.get('reputation-status') === 'stale') return undefined;
    if (response.headers.get('fathom-data') === 'partial') return undefined;
    const body = await response.json();
    if (response.status === 404 && body.code === 'wallet-not-found') return false;
    const tier = TIERS.indexOf(body.tier);
    if (!response.ok || tier < 0) return undefined; // Or somebody else answered in its place.
    return tier >= TIERS.indexOf(least);
  } catch {
    return undefined; // Nobody answered, or a proxy did.
  }
}

console.log(await mayEnter(process.argv[2]));`;

const python = (baseUrl: string) => `# gate.py: python3 gate.py ADDRESS
import json
import sys
from http.client import HTTPException
from threading import Thread
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import urlopen

TIERS = [${LOWEST_FIRST.map((tier) => `"${tier}"`).join(', ')}]


def answer(url):
    try:
        response = urlopen(url, timeout=10)
    except HTTPError as error:
        response = error
    with response:
        body = json.load(response)
        if not isinstance(body, dict):
            raise ValueError("Somebody else answered.")
        return response.code, body, response.headers


def ask(address, found):
    try:
        found.append(answer("${baseUrl}/reputation/" + quote(address, safe="")))
    except (OSError, ValueError, HTTPException, RecursionError):
        pass  # Nobody answered, or a proxy did.


def may_enter(address, least="Shark"):
    """True or False, or None where that isn't known right now."""
    # urlopen's timeout is that of each read: a thread of its own may take ten seconds in all.
    found = []
    asking = Thread(target=ask, args=(address, found), daemon=True)
    asking.start()
    asking.join(10)
    if not found:
        return None
    status, body, headers = found[0]
    if headers["Reputation-Status"] == "stale" or headers["Fathom-Data"] == "partial":
        return None
    if status == 404 and body.get("code") == "wallet-not-found":
        return False
    tier = body.get("tier")
    return TIERS.index(tier) >= TIERS.index(least) if status == 200 and tier in TIERS else None


print(may_enter(sys.argv[1]))`;

const go = (baseUrl: string) => `// gate.go: go run gate.go ADDRESS
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"time"
)

var client = http.Client{Timeout: 10 * time.Second}
var tiers = map[string]int{${LOWEST_FIRST.map((tier, place) => `"${tier}": ${place + 1}`).join(', ')}}

// mayEnter says whether that is known, too.
func mayEnter(address, least string) (enter, known bool, err error) {
	response, err := client.Get("${baseUrl}/reputation/" + url.PathEscape(address))
	if err != nil {
		return false, false, err
	}
	defer response.Body.Close()
	isStale := response.Header.Get("Reputation-Status") == "stale"
	if isStale || response.Header.Get("Fathom-Data") == "partial" {
		return false, false, nil
	}
	var body struct{ Tier, Code string }
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		return false, false, err
	}
	if response.StatusCode == http.StatusNotFound && body.Code == "wallet-not-found" {
		return false, true, nil
	}
	tier, known := tiers[body.Tier]
	if response.StatusCode != http.StatusOK || !known {
		return false, false, nil // Or somebody else answered in its place.
	}
	return tier >= tiers[least], true, nil
}

func main() {
	enter, known, err := mayEnter(os.Args[1], "Shark")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(enter, known)
}`;

export const leaderboardGuide: Guide = {
  id: 'leaderboard',
  programs: ({ baseUrl }) => [{ name: 'HTML', code: page(baseUrl) }],
};

/** Names are whatever people chose, so they are written as text, never as HTML. */
const page = (baseUrl: string) => `<!doctype html>
<meta charset="utf-8">
<title>Leaderboard</title>
<table>
  <thead><tr><th>Rank<th>Name<th>Score<th>Tier</tr></thead>
  <tbody id="board"></tbody>
</table>
<script type="module">
  const response = await fetch('${baseUrl}/leaderboard?limit=10');
  const { leaderboard } = await response.json();
  for (const { rank, displayName, score, tier } of leaderboard) {
    const row = document.getElementById('board').insertRow();
    for (const text of [rank, displayName, score, tier]) row.insertCell().textContent = text;
  }
</script>`;
