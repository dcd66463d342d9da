import type { Guide } from './reading.ts';

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
) => `# wallet_copy.py: all scores, in copy.json; run it again for what has changed since
import json
import sys
import time
from http.client import HTTPException
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
            with urlopen(request, timeout=30) as response:
                return json.load(response), response.headers
        except HTTPError as error:
            if error.code not in (429, 502, 503, 504):
                raise
            after = error.headers.get("Retry-After", "")
            pause = int(after) + 1 if after.isdecimal() else 5
        except (OSError, ValueError, HTTPException) as error:
            print(error, file=sys.stderr)  # Nobody there, cut off in the middle, or a proxy's page.
            pause = 5
        time.sleep(pause)


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
            get("/changes?limit=1&after=" + state["after"])  # A 410 if that won't come any more.
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
while True:
    try:
        if state is None:
            state = fill()
        else:
            follow(state, set())
        break
    except HTTPError as error:
        if error.code != 410:
            raise
        state = None  # The cursor is gone, and with it what came after.
# Together, so that neither can be newer than the other.
part = STATE.with_suffix(".part")
part.write_text(json.dumps(state))
part.replace(STATE)
print(len(state["scores"]), "wallets, up to", state["after"])`;

export const webhooksGuide: Guide = {
  id: 'webhooks',
  programs: () => [
    { name: 'JavaScript', code: JAVASCRIPT },
    { name: 'Python', code: PYTHON },
    { name: 'Go', code: GO },
  ],
};

const JAVASCRIPT = `// webhook.mjs, with @fathom-reputation/client (install: docs/integrate.md)
import { createServer } from 'node:http';
import { verifyWebhook, WebhookVerificationError } from '@fathom-reputation/client';

createServer(async (request, response) => {
  try {
    const body = Buffer.concat(await request.toArray());
    const { id, events } = await verifyWebhook(body, request.headers, process.env.WEBHOOK_SECRET);
    for (const { type, data } of events) console.log(id, type, data.address, data.tier);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
  }
}).listen(process.env.PORT ?? 8090);`;

const PYTHON = `# webhook.py
import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))


def is_signed(headers, body):
    sent, now = headers.get("webhook-timestamp", ""), time.time()
    if not sent.isdigit() or abs(now - int(sent)) > 300:
        return False
    signed = f"{headers.get('webhook-id', '')}.{sent}.".encode() + body
    own = "v1," + base64.b64encode(hmac.digest(KEY, signed, hashlib.sha256)).decode()
    # Two of them while the secret is being changed.
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(own.encode(), each.encode()) for each in signatures)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        good = is_signed(self.headers, body)
        if good:
            event = json.loads(body)
            for each in event["data"] if event["type"] == "batch" else [event]:
                data = each["data"]  # Of a later type it may have other fields.
                print(each["type"], data.get("address"), data.get("tier"), flush=True)
        self.send_response(204 if good else 400)
        self.end_headers()


HTTPServer(("127.0.0.1", int(os.environ.get("PORT", 8090))), Receiver).serve_forever()`;

const GO = `// webhook.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func isSigned(header http.Header, body []byte, key []byte) bool {
	sent, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(sent, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	io.WriteString(mac, header.Get("webhook-id")+"."+header.Get("webhook-timestamp")+".")
	mac.Write(body)
	own := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// Two of them while the secret is being changed.
	for _, each := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(own), []byte(each)) {
			return true
		}
	}
	return false
}

func main() {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil {
		log.Fatal(err)
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8090"
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
		if err != nil || !isSigned(request.Header, body, key) {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		log.Printf("%s", body)
		response.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}`;
