import { connect } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { wallSeconds } from '#base/time/clock';
import type { ApiOptions } from '#http/api/server/server';
import type { ChangeEntry, ChangeFeed } from '#reputation/changes';
import type { Store } from '#storage/store';
import { type TestApi, TestKeys, testApi } from '../../support/api.ts';
import { TestSource } from '../../support/api-source.ts';
import { FakeFeed } from '../../support/change-feed.ts';
import { openMemoryStore } from '../../support/empty-store.ts';
import { activityOf, batchOf, ETH_A, SOL_A, writeTo } from '../../support/ledger.ts';
import { patienceMs } from '../../support/patience.ts';
import { refreshed } from '../../support/refreshed.ts';

const STREAM = { Accept: 'text/event-stream' };

interface Page {
  readonly changes: readonly ChangeEntry[];
  readonly next: string;
  readonly hasMore: boolean;
}

let store: Store;
let api: TestApi;

async function serve(options: Partial<ApiOptions> = {}): Promise<TestApi> {
  return testApi({ source: await store.openSource(), ...options });
}

beforeEach(async () => {
  const opened = openMemoryStore();
  store = opened;
  api = await serve();
  onTestFinished(async () => void (await opened.close()));
});

async function write(...keys: string[]): Promise<void> {
  const activities = keys.map((key) => activityOf(key.startsWith('s') ? SOL_A : ETH_A, key));
  await writeTo(store, batchOf({ activities }));
  await refreshed(store);
}

const page = async (query = ''): Promise<Page> => {
  const response = await api.get(`/v1/changes${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
};

interface ProblemBody {
  readonly detail: string;
  readonly errors?: readonly { readonly parameter: string }[];
}

async function problemIn(response: Response): Promise<ProblemBody> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  return (await response.json()) as ProblemBody;
}

interface Event {
  readonly event?: string;
  readonly id: string;
  readonly data: string;
}

/** Reads a stream's events; those without data only bring a cursor. */
class Reader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = '';
  #places: string[] = [];

  constructor(response: Response) {
    const body = response.body as ReadableStream<Uint8Array>;
    this.#reader = body.getReader();
    onTestFinished(() => this.close());
  }

  /** Ids that came without an event. */
  get places(): readonly string[] {
    return this.#places;
  }

  /** @returns undefined at the end */
  async next(): Promise<Event | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end !== -1) {
        const block = this.#text.slice(0, end).split('\n');
        this.#text = this.#text.slice(end + 2);
        const fields = Object.fromEntries(
          block.filter((line) => !line.startsWith(':')).map((line) => line.split(/: (.*)/, 2)),
        );
        if (fields.data !== undefined) return fields;
        if (fields.id !== undefined) this.#places.push(fields.id);
        continue;
      }
      const { value, done } = await this.#reader.read();
      if (done) return undefined;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  close(): Promise<void> {
    return this.#reader.cancel().catch(() => undefined);
  }
}

async function stream(query = '', headers: Record<string, string> = {}, of = api) {
  const response = await of.get(`/v1/changes${query}`, { headers: { ...STREAM, ...headers } });
  expect(response.status).toBe(200);
  return { response, reader: new Reader(response) };
}

describe('pages of changes', () => {
  it('begin with what comes next, or with the oldest', async () => {
    await write('a');
    const now = await page();
    expect(now).toEqual({ changes: [], next: expect.any(String), hasMore: false });
    await write('b', 's1');
    const { changes, next, hasMore } = await page(`?after=${now.next}`);
    expect(changes).toMatchObject([
      { address: ETH_A.address, chain: 'ethereum', score: 20, previousScore: 10, badgesEarned: [] },
      { address: SOL_A.address, chain: 'solana', previousScore: null, previousTier: null },
    ]);
    expect({ next, hasMore }).toEqual({ next: (await page()).next, hasMore: false });
    expect((await page('?after=0')).changes).toHaveLength(3);
    const first = await page('?after=0&limit=1');
    expect(first).toMatchObject({ changes: [{ score: 10 }], hasMore: true });
    expect(first.next).toBe(first.changes[0]?.cursor);
    expect((await page('?after=0&limit=5000')).changes).toHaveLength(3);
    expect((await page('?after=0&chain=sol')).changes).toHaveLength(1);
  });

  it('begin later once older ones were removed, whatever was kept of an earlier answer', async () => {
    await write(...Array.from({ length: 30 }, (_, i) => `s${i}`));
    for (let i = 0; i < 12; i += 1) await write(`a${i}`);
    const headers = { 'Accept-Encoding': 'gzip' };
    const before = await api.get('/v1/changes?after=0', { headers });
    const [oldest] = ((await before.json()) as Page).changes;
    await store.pruneChanges({ age: 86_400, count: 5 }, wallSeconds());
    const etag = before.headers.get('etag') ?? '';
    const tagged = { ...headers, 'If-None-Match': etag };
    for (const again of [headers, tagged]) {
      const response = await api.get('/v1/changes?after=0', { headers: again });
      expect(response.status).toBe(200);
      const { changes } = (await response.json()) as Page;
      expect(changes.length).toBeLessThan(12);
      expect(changes[0]?.cursor).not.toBe(oldest?.cursor);
    }
  });

  it('have the headers of every resource, and an ETag that holds until something changes', async () => {
    await write('a');
    const first = await api.get('/v1/changes?after=0');
    const etag = first.headers.get('etag') ?? '';
    expect(first.headers.get('vary')).toContain('Accept-Encoding, Accept');
    expect(first.headers.get('reputation-status')).toBe('fresh');
    expect(first.headers.get('ratelimit')).toMatch(/^"public";r=/);
    const again = await api.get('/v1/changes?after=0', { headers: { 'If-None-Match': etag } });
    expect(again.status).toBe(304);
    await write('b');
    const other = await api.get('/v1/changes?after=0', { headers: { 'If-None-Match': etag } });
    expect(other.status).toBe(200);
    expect((await api.get('/v1/changes', { method: 'HEAD' })).status).toBe(200);
  });

  it('say what is wrong with a cursor', async () => {
    await write('a');
    const { next } = await page();
    const [id] = next.split('-');
    for (const bad of ['', '1', 'x', '-1', `${next}-0`, `${next}%20`]) {
      const problem = await problemIn(await api.get(`/v1/changes?after=${bad}`));
      expect(problem, bad).toMatchObject({ status: 400, code: 'invalid-parameter' });
      expect(problem.errors?.[0]?.parameter).toBe('after');
    }
    const gone = await problemIn(await api.get(`/v1/changes?after=${id}-0123456789ab`));
    expect(gone).toMatchObject({ status: 410, code: 'cursor-gone' });
    expect(gone.detail).toMatch(/Read the leaderboard again.*without `after`.*`after=0`/);
    const unknown = await problemIn(await api.get('/v1/changes?since=0'));
    expect(unknown).toMatchObject({ status: 400, code: 'unknown-parameter' });
  });

  it('are not there where the source is another instance, which the error says', async () => {
    const source = Object.assign(new TestSource(), { changes: undefined });
    api = await testApi({ source });
    for (const headers of [{}, STREAM]) {
      const problem = await problemIn(await api.get('/v1/changes', { headers }));
      expect(problem).toMatchObject({ status: 404, code: 'route-not-found' });
      expect(problem.detail).toContain('UPSTREAM_URL');
    }
  });
});

describe('streams of changes', () => {
  it('give each change as it is committed, and go on from Last-Event-ID', async () => {
    await write('a');
    const { response, reader } = await stream();
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-store');
    await write('b', 's1');
    const events = [await reader.next(), await reader.next()];
    const { changes } = await page('?after=0');
    expect(events).toEqual(
      changes.slice(1).map((change) => ({
        event: 'change',
        id: change.cursor,
        data: JSON.stringify(change),
      })),
    );
    await reader.close();
    // The cursor that came before any event.
    const [begin = ''] = reader.places;
    const again = await stream('?after=0', { 'Last-Event-ID': begin });
    expect((await again.reader.next())?.id).toBe(changes[1]?.cursor);
    const later = await stream('?after=0', { 'Last-Event-ID': events[0]?.id ?? '' });
    expect((await later.reader.next())?.id).toBe(changes[2]?.cursor);
    const all = await stream('?after=0&chain=sol');
    expect((await all.reader.next())?.id).toBe(changes[2]?.cursor);
  });

  it('say before they begin that a cursor is malformed or gone', async () => {
    for (const [id, status, code] of [
      ['9-0123456789ab', 410, 'cursor-gone'],
      ['x', 400, 'invalid-parameter'],
    ] as const) {
      const headers = { ...STREAM, 'Last-Event-ID': id };
      expect(await problemIn(await api.get('/v1/changes', { headers }))).toMatchObject({
        status,
        code,
      });
    }
  });

  it('are asked for by Accept alone', async () => {
    for (const [accept, type] of [
      ['*/*', 'application/json'],
      ['text/event-stream;q=0', 'application/json'],
      ['application/json, text/event-stream;q=0.5', 'application/json'],
      ['application/json;q=0.5, TEXT/event-stream', 'text/event-stream'],
    ] as const) {
      const response = await api.get('/v1/changes', { headers: { Accept: accept } });
      expect(response.headers.get('content-type'), accept).toBe(type);
      await response.body?.cancel();
    }
  });

  it('are bounded for a client and in all, and count again once they end', async () => {
    api = await serve({ streamLimits: { client: 2, all: 3 } });
    const [first] = [await stream(), await stream()];
    const refused = await api.get('/v1/changes', { headers: STREAM });
    expect(refused.headers.get('retry-after')).toBe('15');
    expect(await problemIn(refused)).toMatchObject({ status: 429, code: 'rate-limited' });
    const key = api.keys.create();
    const other = await stream('', { 'X-API-Key': key });
    const full = await api.get('/v1/changes', { headers: { ...STREAM, 'X-API-Key': key } });
    expect(await problemIn(full)).toMatchObject({ status: 503, code: 'data-unavailable' });
    await other.reader.close();
    await first?.reader.close();
    await expect
      .poll(async () => (await api.get('/v1/changes', { headers: STREAM })).status)
      .toBe(200);
  });

  it.each([
    new RetryableError('away'),
    new UserError('wrong-configuration', 'The password is wrong.'),
  ])('go on once the data can be read again: %s', async (fault) => {
    const feed = new FakeFeed();
    const readings = [fault, fault];
    const source = Object.assign(new TestSource(), {
      changes: {
        head: () => feed.head(),
        subscribe: (wake: () => void) => feed.subscribe(wake),
        read: async (query: Parameters<ChangeFeed['read']>[0]) => {
          const wrong = feed.entries.length > 0 ? readings.pop() : undefined;
          if (wrong !== undefined) throw wrong;
          return feed.read(query);
        },
      },
    });
    const other = await testApi({ source });
    const { reader } = await stream('', {}, other);
    feed.commit(ETH_A.address, 10);
    expect((await reader.next())?.id).toBe('1');
    expect(other.log.lines).toEqual([]);
    await reader.close();
  });

  it.each([false, true])(
    'end soon after their key was revoked, asynchronously: %s',
    async (later) => {
      api = await serve({ streamLimits: { beatMs: 5 } });
      api.keys.later = later;
      const [kept, revoked] = [api.keys.create(), api.keys.create()];
      const other = await stream('', { 'X-API-Key': kept });
      const { reader } = await stream('', { 'X-API-Key': revoked });
      api.keys.revoke(revoked);
      expect(await reader.next()).toBeUndefined();
      await write('a');
      expect((await other.reader.next())?.event).toBe('change');
      await other.reader.close();
    },
  );

  it('stay open while nobody can tell whether their key was revoked', async () => {
    let asked = 0;
    const keys = new TestKeys();
    const away = {
      findByHash: (hash: string) => {
        asked += 1;
        if (asked > 1) throw new RetryableError('away');
        return keys.findByHash(hash);
      },
    };
    api = await serve({ keys: away, streamLimits: { beatMs: 5 } });
    const { reader } = await stream('', { 'X-API-Key': keys.create() });
    await expect.poll(() => asked).toBeGreaterThan(2);
    await write('a');
    expect((await reader.next())?.event).toBe('change');
    await reader.close();
  });

  it('end when the server stops', async () => {
    const { reader } = await stream();
    const closed = api.close();
    expect(await reader.next()).toBeUndefined();
    await closed;
  });

  it('are dropped when their client doesn’t read, with little held for it', async () => {
    const feed = endlessFeed();
    const source = Object.assign(new TestSource(), { changes: feed });
    api = await testApi({ source, streamLimits: { patienceMs: 50 } });
    const socket = connect(api.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.pause();
    const head = 'GET /v1/changes HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n';
    socket.write(head);
    const dropped = async () =>
      Number(/^fathom_change_streams_dropped (\d+)/m.exec(await api.metrics.render())?.[1]);
    await expect.poll(dropped, { timeout: patienceMs(20_000) }).toBe(1);
    // Nothing is read from the feed for a client that doesn't read.
    const { reads } = feed;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(feed.reads).toBe(reads);
    socket.destroy();
  });
});

/** A feed that always has more. */
function endlessFeed(): ChangeFeed & { reads: number } {
  const name = (place: number) => `1-0123456789ab-${place}`;
  const feed = {
    reads: 0,
    head: () => name(1),
    subscribe: () => () => undefined,
    read: async ({ after = '', limit }: { after?: string | undefined; limit: number }) => {
      feed.reads += 1;
      const from = Number(after.split('-')[2]);
      const changes = Array.from({ length: limit }, (_, i) => ({
        ...{ cursor: name(from + i + 1), address: ETH_A.address, chain: 'ethereum' as const },
        ...{ score: 1, tier: 'Shrimp' as const, previousScore: 0, previousTier: 'Shrimp' as const },
        ...{ badgesEarned: ['x'.repeat(2_000)], at: '2025-12-15T14:30:00Z' },
      }));
      return { changes, next: name(from + limit), hasMore: true };
    },
  };
  return feed;
}
