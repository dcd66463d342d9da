import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type ApiKey, createApiKey } from '#base/api-key';
import type { Logger } from '#base/log';
import type { MaybePromise } from '#base/maybe-promise';
import { hashApiKey } from '#base/process/api-key-hash';
import { Metrics } from '#http/api/server/metrics';
import { type Api, type ApiOptions, startApi } from '#http/api/server/server';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { TestSource } from './api-source.ts';

/** In-memory keys. */
export class TestKeys {
  /** If set, look-ups are asynchronous. */
  later = false;
  readonly #keys = new Map<string, ApiKey>();
  #lookups = 0;

  /** How many look-ups there were. */
  get lookups(): number {
    return this.#lookups;
  }

  /** Creates a valid key and returns it. */
  create(id = `key-${this.#keys.size}`): string {
    const key = createApiKey(randomBytes);
    const record = { id, label: 'test', owner: 'cli', createdAt: 0, revokedAt: undefined };
    this.#keys.set(hashApiKey(key), record);
    return key;
  }

  revoke(key: string): void {
    this.#keys.delete(hashApiKey(key));
  }

  findByHash(hash: string): MaybePromise<ApiKey | undefined> {
    this.#lookups += 1;
    const found = this.#keys.get(hash);
    return this.later ? new Promise((resolve) => setTimeout(resolve, 1, found)) : found;
  }
}

/** A log that keeps its lines. */
export class TestLog implements Logger {
  readonly lines: { level: string; fields: Record<string, unknown>; message: string }[] = [];
  debug = (fields: Record<string, unknown>, message: string) => this.#add('debug', fields, message);
  info = (fields: Record<string, unknown>, message: string) => this.#add('info', fields, message);
  warn = (fields: Record<string, unknown>, message: string) => this.#add('warn', fields, message);
  error = (fields: Record<string, unknown>, message: string) => this.#add('error', fields, message);

  #add(level: string, fields: Record<string, unknown>, message: string): void {
    this.lines.push({ level, fields, message });
  }
}

/** An API under test with everything it was built from. */
export interface TestApi extends Api {
  readonly source: TestSource;
  readonly keys: TestKeys;
  readonly log: TestLog;
  readonly metrics: Metrics;
  /** The injected clock, in milliseconds; undefined for real time. */
  readonly time: { now: number | undefined };
  /** Requests a path. */
  get(path: string, init?: RequestInit): Promise<Response>;
}

/** Starts an API on a free port, closed after the test (outside of a test, by the caller). */
export async function testApi(options: Partial<ApiOptions> = {}): Promise<TestApi> {
  const api = await openApi(options);
  onTestFinished(() => api.close());
  return api;
}

/** Like `testApi`, but the caller closes it. */
export async function openApi(options: Partial<ApiOptions> = {}): Promise<TestApi> {
  const source = new TestSource();
  const keys = new TestKeys();
  const log = new TestLog();
  const metrics = new Metrics();
  const time: TestApi['time'] = { now: undefined };
  const api = await startApi({
    source,
    keys,
    wallets: createWalletParser(chains),
    log,
    host: '127.0.0.1',
    port: 0,
    publicUrl: undefined,
    trustProxy: [],
    limits: { public: 1_000_000, key: 2_000_000 },
    metrics,
    readiness: () => ({ ready: true, checks: { data: { ok: true, detail: 'up to date' } } }),
    clock: () => time.now ?? Date.now(),
    ...options,
  });
  return {
    ...api,
    source,
    keys,
    log,
    metrics,
    time,
    get: (path, init) => fetch(api.url + path, { redirect: 'manual', ...init }),
  };
}

/** A response read from a plain socket. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Opens a socket, sends the text and reads until the other side closes it. */
export function exchangeRaw(api: Pick<Api, 'port'>, text: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = open(api);
    let received = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
    socket.write(text);
  });
}

/** A socket to the API. */
export function open(api: Pick<Api, 'port'>): Socket {
  return connect({ port: api.port, host: '127.0.0.1' });
}

/** Sends one request as raw text and parses the response. The text must include `Connection: close`. */
export async function askRaw(api: Api, text: string | Buffer): Promise<RawAnswer> {
  return parseAnswer(await exchangeRaw(api, text));
}

export function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { status: Number(statusLine.split(' ')[1]), headers, body: text.slice(end + 4) };
}
