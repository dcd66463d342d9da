import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { UpstreamTimeouts } from '#upstream/fetcher';
import { openUpstream, type Upstream, type UpstreamOptions } from '#upstream/index';
import { silentLog } from './log.ts';

/** A record without its wallet. */
export const RECORD = {
  score: 9420,
  tier: 'Titan',
  rank: 12,
  totalUsers: 48_210,
  badges: [],
  lastUpdated: '2025-12-15T14:30:00Z',
};

/** Headers of a cacheable response. */
export const KEPT = {
  'Cache-Control': 'max-age=30, stale-while-revalidate=60',
  ETag: 'W/"r1"',
};

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** A stand-in for another instance; its behaviour can be changed at any time. */
export interface FakeUpstream {
  readonly url: string;
  /** The requested paths, with their query. */
  readonly asked: string[];
  handler: Handler;
  /** Closes it with all its connections. */
  close(): Promise<void>;
}

/** Closed after the test. @param port any free one by default */
export async function fakeUpstream(handler: Handler, port = 0): Promise<FakeUpstream> {
  const server = createServer((req, res) => {
    fake.asked.push(req.url ?? '');
    fake.handler(req, res);
  });
  const listening = once(server, 'listening');
  server.listen(port, '127.0.0.1');
  await listening;
  const fake: FakeUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: [],
    handler,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  onTestFinished(() => fake.close());
  return fake;
}

/** Answers everything with one body. */
export function saying(body: unknown, headers: Record<string, string> = {}): Handler {
  return (_, res) => {
    res.writeHead(200, { 'Content-Type': 'application/json', ...headers });
    res.end(JSON.stringify(body));
  };
}

const FOR_EVER_MS = 60_000;
/** For tests that aren't about deadlines: on a busy machine even a healthy upstream may be slow. */
export const PATIENT: UpstreamTimeouts = {
  connectMs: FOR_EVER_MS,
  requestMs: FOR_EVER_MS,
  patienceMs: { interactive: FOR_EVER_MS, visitor: FOR_EVER_MS, background: FOR_EVER_MS },
  shortPatienceMs: FOR_EVER_MS,
};

/** An upstream as the service opens it, with a clock that only advances on request. */
export interface TestUpstream extends Upstream {
  advance(seconds: number): void;
}

/** Closed after the test. */
export function upstreamAt(url: string, options: Partial<UpstreamOptions> = {}): TestUpstream {
  let time = 1e6;
  const upstream = openUpstream({
    url,
    apiKey: undefined,
    log: silentLog,
    now: () => time,
    timeouts: PATIENT,
    ...options,
  });
  onTestFinished(() => upstream.close());
  return {
    ...upstream,
    advance(seconds) {
      time += seconds * 1000;
    },
  };
}
