import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { openUpstream, type Upstream, type UpstreamOptions } from '#upstream/index';
import { silentLog } from './log.ts';

/** A record without the wallet that it is of. */
export const RECORD = {
  score: 9420,
  tier: 'Titan',
  rank: 12,
  totalUsers: 48_210,
  badges: [],
  lastUpdated: '2025-12-15T14:30:00Z',
};

/** Headers of an answer that may be kept. */
export const KEPT = {
  'Cache-Control': 'max-age=30, stale-while-revalidate=60',
  ETag: 'W/"r1"',
};

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** A server in the place of another instance, whose way of answering can be changed at any time. */
export interface FakeUpstream {
  readonly url: string;
  /** Paths that were asked for, with their query. */
  readonly asked: string[];
  /** When each was asked, in milliseconds. */
  readonly askedAt: number[];
  handler: Handler;
  /** Ends it with all its connections. */
  close(): Promise<void>;
}

/** Ends with the test. */
export async function fakeUpstream(handler: Handler): Promise<FakeUpstream> {
  const server = createServer((req, res) => {
    fake.asked.push(req.url ?? '');
    fake.askedAt.push(performance.now());
    fake.handler(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fake: FakeUpstream = {
    url: `http://127.0.0.1:${port}/v1`,
    asked: [],
    askedAt: [],
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

/** An upstream as the service opens it, with a clock that can be put forward. */
export interface TestUpstream extends Upstream {
  advance(seconds: number): void;
}

/** Ends with the test. */
export function upstreamAt(url: string, options: Partial<UpstreamOptions> = {}): TestUpstream {
  let ahead = 0;
  const upstream = openUpstream({
    url,
    apiKey: undefined,
    log: silentLog,
    now: () => performance.now() + ahead,
    ...options,
  });
  onTestFinished(() => upstream.close());
  return {
    ...upstream,
    advance(seconds) {
      ahead += seconds * 1000;
    },
  };
}
