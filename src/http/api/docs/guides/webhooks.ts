import type { Guide } from './guide.ts';

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
                print(each["type"], each["data"]["address"], each["data"]["tier"], flush=True)
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
