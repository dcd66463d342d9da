import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type ChangeEntry,
  ConnectionError,
  CursorGoneError,
  Fathom,
  RouteNotFoundError,
} from '../../client/src/index.ts';
import { readEvents } from '../../client/src/sse.ts';

type Handler = (req: IncomingMessage, res: ServerResponse, after: string | undefined) => void;

/** A server in place of Fathom, so that faults come at the right moment. */
async function serving(handler: Handler) {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    const { searchParams } = new URL(req.url ?? '/', 'http://h');
    const isStream = req.headers.accept === 'text/event-stream';
    const last = req.headers['last-event-id'];
    const after = String(last ?? searchParams.get('after') ?? '');
    asked.push(`${isStream ? 'stream' : 'page'} ${after}`);
    handler(req, res, after === '' ? undefined : after);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { fathom: new Fathom({ url: `http://127.0.0.1:${port}`, maxWait: 3_000 }), asked };
}

const entry = (n: number): ChangeEntry => ({
  ...{ cursor: String(n), address: `0x${n}`, chain: 'ethereum', score: n, tier: 'Shrimp' },
  ...{ previousScore: null, previousTier: null, badgesEarned: [], at: '2026-11-22T20:00:00Z' },
});

const isStream = (req: IncomingMessage) => req.headers.accept === 'text/event-stream';

function json(res: ServerResponse, status: number, body: unknown, headers = {}): void {
  res.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  res.end(JSON.stringify(body));
}

const page = (after: number, upTo: number) => ({
  changes: Array.from({ length: upTo - after }, (_, i) => entry(after + i + 1)),
  next: String(upTo),
  hasMore: false,
});

function begin(res: ServerResponse): void {
  res.writeHead(200, { 'Content-Type': 'text/event-stream' });
}

function send(res: ServerResponse, n: number): void {
  res.write(
    `: still here\r\nevent: change\r\nid: ${n}\r\ndata: ${JSON.stringify(entry(n))}\r\n\r\n`,
  );
}

/** Reads this many entries and stops. */
async function take(entries: AsyncGenerator<ChangeEntry>, count: number): Promise<string[]> {
  const cursors: string[] = [];
  for await (const { cursor } of entries) {
    cursors.push(cursor);
    if (cursors.length === count) break;
  }
  return cursors;
}

describe('following what changes', () => {
  it('goes on after the last event over broken connections, without gaps or repeats', async () => {
    const { fathom, asked } = await serving((_, res, after) => {
      const from = Number(after);
      begin(res);
      send(res, from + 1);
      send(res, from + 2);
      // Half an event, then nothing more.
      res.write(`id: ${from + 3}\ndata: {"cursor":`, () => res.destroy());
    });
    expect(await take(fathom.follow({ after: '10' }), 5)).toEqual(['11', '12', '13', '14', '15']);
    expect(asked).toEqual(['stream 10', 'stream 12', 'stream 14']);
  });

  it('asks where the end is before it opens a stream without a cursor', async () => {
    const { fathom, asked } = await serving((req, res, after) => {
      if (!isStream(req)) json(res, 200, { changes: [], next: '41', hasMore: false });
      else {
        begin(res);
        send(res, Number(after) + 1);
      }
    });
    expect(await take(fathom.follow(), 1)).toEqual(['42']);
    expect(asked).toEqual(['page ', 'stream 41']);
  });

  it.each([
    ['a server with too many streams', 429, { code: 'rate-limited' }],
    ['something in between that cuts off what is no page', 200, page(3, 3)],
    ['a server without streams', 406, {}],
  ])('reads pages where no stream is to be had: %s', async (_, status, body) => {
    const { fathom, asked } = await serving((req, res, after) => {
      if (isStream(req)) json(res, status, body);
      else json(res, 200, page(Number(after), 5));
    });
    expect(await take(fathom.follow({ after: '3' }), 2)).toEqual(['4', '5']);
    expect(asked).toEqual(['stream 3', 'page 3']);
  });

  it('goes on when the server is away for a moment', async () => {
    let isAway = true;
    const { fathom, asked } = await serving((_, res, after) => {
      if (isAway) {
        isAway = false;
        json(res, 503, { code: 'data-unavailable' });
      } else {
        begin(res);
        send(res, Number(after) + 1);
      }
    });
    expect(await take(fathom.follow({ after: '1' }), 1)).toHaveLength(1);
    expect(asked[0]).toBe('stream 1');
  });

  it.each([
    [410, 'cursor-gone', CursorGoneError],
    [404, 'route-not-found', RouteNotFoundError],
  ])('says so where that makes no sense: %i', async (status, code, kind) => {
    const { fathom } = await serving((_, res) => json(res, status, { code, detail: 'no' }));
    await expect(take(fathom.follow({ after: '1' }), 1)).rejects.toBeInstanceOf(kind);
    await expect(fathom.changes({ after: '1' })).rejects.toBeInstanceOf(kind);
  });

  it('comes back after what concerned other chains alone, whose cursors may be gone by then', async () => {
    const { fathom, asked } = await serving((_, res, after) => {
      begin(res);
      res.write(`: nothing new\nid: ${after}\n\n`);
      if (after === '1') res.end(': nothing new\nid: 40\n\n');
      else send(res, 41);
    });
    expect(await take(fathom.follow({ after: '1', chain: 'algo' }), 1)).toEqual(['41']);
    expect(asked).toEqual(['stream 1', 'stream 40']);
  });

  it('reads pages where each stream ends once it has said where it begins', async () => {
    const { fathom, asked } = await serving((req, res, after) => {
      if (!isStream(req)) json(res, 200, page(Number(after), 2));
      else {
        begin(res);
        res.end(`: nothing new\nid: ${after}\n\n`);
      }
    });
    expect(await take(fathom.follow({ after: '1' }), 1)).toEqual(['2']);
    expect(asked).toEqual(['stream 1', 'stream 1', 'stream 1', 'page 1']);
  });

  it('ends its connection when the reader has had enough, or is told to stop', async () => {
    const closed: Promise<unknown>[] = [];
    const { fathom } = await serving((_, res) => {
      closed.push(once(res, 'close'));
      begin(res);
      send(res, 1);
    });
    await take(fathom.follow({ after: '0' }), 1);
    await closed[0];
    const stop = new AbortController();
    const reading = take(fathom.follow({ after: '0' }, { signal: stop.signal }), 9);
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(reading).rejects.toThrow('enough');
    await closed[1];
  });
});

describe('reading server-sent events', () => {
  const streamOf = (...parts: string[]) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
        controller.close();
      },
    });

  it('reads them however they are cut and whatever their line breaks are', async () => {
    const text =
      ':x\r\nevent: a\r\nid: 1\r\ndata: one\r\ndata: två\r\n\r\ndata:no id\n\nretry: 5\n\n';
    const bytes = new TextEncoder().encode(text);
    for (let size = 1; size < bytes.length; size += 1) {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < bytes.length; at += size) {
            controller.enqueue(bytes.slice(at, at + size));
          }
          controller.close();
        },
      });
      expect(await Array.fromAsync(readEvents(body, 1e6))).toEqual([
        { type: 'a', id: '1', data: 'one\ntvå' },
        { type: 'message', id: '1', data: 'no id' },
      ]);
    }
  });

  it('tells an id without data, which is no event, and no other comment', async () => {
    const body = streamOf(': x\nid: 7\n\n', ':\n\n', 'event: a\n\n');
    expect(await Array.fromAsync(readEvents(body, 1e6))).toEqual([
      { type: 'message', id: '7', data: '' },
    ]);
  });

  it('leaves out an event that did not come to its end', async () => {
    expect(await Array.fromAsync(readEvents(streamOf('data: 1\n\ndata: 2\n'), 1e6))).toHaveLength(
      1,
    );
  });

  it('tells an event at once whose lines end with carriage returns alone', async () => {
    let send: (text: string) => void = () => undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        send = (text) => controller.enqueue(new TextEncoder().encode(text));
      },
    });
    const events = readEvents(body, 1e6);
    send('data: 1\r\r');
    expect((await events.next()).value?.data).toBe('1');
    // The line feed belongs to the carriage return before.
    send('\ndata: 2\r');
    send('\n\r\n');
    expect((await events.next()).value?.data).toBe('2');
  });

  it('bounds each event, not a chunk with many', async () => {
    const text = `data: ${'x'.repeat(500)}\n\n`.repeat(4_000);
    expect(text.length).toBeGreaterThan(2_000_000);
    expect(await Array.fromAsync(readEvents(streamOf(text), 1e6))).toHaveLength(4_000);
    const lines = `data: ${'x'.repeat(500)}\n`.repeat(4_000);
    await expect(readEvents(streamOf(lines), 1e6).next()).rejects.toThrow('too long');
    const comments = `:${'x'.repeat(500)}\n`.repeat(4_000);
    expect(await Array.fromAsync(readEvents(streamOf(comments, 'data: 1\n\n'), 1e6))).toHaveLength(
      1,
    );
  });

  it('ends a stream that is silent, or one with an event without end', async () => {
    const silent = readEvents(new ReadableStream(), 20).next();
    await expect(silent).rejects.toBeInstanceOf(ConnectionError);
    const endless = streamOf('data: ', 'x'.repeat(600_000), 'x'.repeat(600_000));
    await expect(readEvents(endless, 1e6).next()).rejects.toThrow('too long');
  });
});
