import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { JsonClient, type JsonClientOptions, type JsonRequest } from '#base/json-http/client';
import { HttpFailure } from '#base/json-http/reply';

/** Long, so that only hanging requests reach it. */
const PATIENT_MS = 60_000;
const BODY = JSON.stringify({ score: 1 });

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

/** A server, closed after the test, with the requested URLs. */
async function serve(handler: Handler) {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url}`);
    handler(req, res);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server };
}

function clientOf(options: Partial<JsonClientOptions> = {}): JsonClient {
  const limits = { connections: 2, connectMs: PATIENT_MS, maxBytes: 1_000 };
  const client = new JsonClient({ ...limits, addresses: 'any', ...options });
  onTestFinished(() => client.close());
  return client;
}

/** The failure, whose message must contain nothing of the request. */
async function failureOf(client: JsonClient, request: Partial<JsonRequest> & { url: string }) {
  const headers = { authorization: 'Bearer sEcReT' };
  const url = `${request.url}/kEy?token=sEcReT`;
  const error = await client.send({ timeoutMs: PATIENT_MS, headers, ...request, url }).then(
    (reply) => reply.json(),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(HttpFailure);
  const failure = error as HttpFailure;
  expect(failure.message).not.toMatch(/127|kEy|sEcReT/);
  return failure;
}

describe('a JSON client', () => {
  it('sends JSON and forms, and returns replies of any status', async () => {
    const { url } = await serve(async (req, res) => {
      const body = (await req.toArray()).join('');
      res.writeHead(418, { 'X-Seen': String(req.headers['content-type']) });
      res.end(JSON.stringify({ body, method: req.method }));
    });
    const client = clientOf();
    const timeoutMs = PATIENT_MS;

    const json = await client.send({ url, method: 'PUT', body: { a: 1 }, timeoutMs });
    expect([json.status, json.headers['x-seen']]).toEqual([418, 'application/json']);
    expect(json.json()).toEqual({ method: 'PUT', body: '{"a":1}' });

    const form = await client.send({ url, method: 'POST', form: { b: 'c d' }, timeoutMs });
    expect(form.headers['x-seen']).toBe('application/x-www-form-urlencoded');
    expect(form.json()).toEqual({ method: 'POST', body: 'b=c+d' });
  });

  it('follows no redirect', async () => {
    const { url, asked } = await serve((_, res) => {
      res.writeHead(302, { Location: '/elsewhere' }).end(BODY);
    });
    expect((await clientOf().send({ url, timeoutMs: PATIENT_MS })).status).toBe(302);
    expect(asked).toEqual(['GET /']);
  });

  it.each([
    ['not JSON', Buffer.from('<h1>')],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['empty', Buffer.alloc(0)],
  ])('fails when the body is requested and %s, not before', async (_, body) => {
    const { url } = await serve((_req, res) => res.writeHead(502).end(body));
    const reply = await clientOf().send({ url, timeoutMs: PATIENT_MS });
    expect([reply.status, reply.isEmpty]).toEqual([502, body.length === 0]);
    expect(() => reply.json()).toThrow(HttpFailure);
  });

  it.each([
    ['as it is', {}, (text: string) => Buffer.from(text)],
    ['in gzip', { 'Content-Encoding': 'gzip' }, gzipSync],
    ['in brotli', { 'Content-Encoding': 'br' }, brotliCompressSync],
  ])('counts decoded bytes: %s', async (_, headers, encode) => {
    let length = 1_000;
    const { url } = await serve((_req, res) => {
      res.writeHead(200, headers).end(encode(BODY.padEnd(length)));
    });
    const client = clientOf({ encodings: ['gzip', 'br'] });
    expect((await client.send({ url, timeoutMs: PATIENT_MS })).json()).toEqual({ score: 1 });
    length = 1_001;
    expect((await failureOf(client, { url })).reason).toBe('too-large');
  });

  it("accepts no encoding that it didn't request", async () => {
    const { url } = await serve((req, res) => {
      expect(req.headers['accept-encoding']).toBe('identity');
      res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(BODY));
    });
    expect((await failureOf(clientOf(), { url })).reason).toBe('encoding');
  });

  it.each<[string, Handler]>([
    ['never answers', () => {}],
    [
      'sends a byte at a time',
      (_, res) => {
        res.writeHead(200);
        const timer = setInterval(() => res.write(' '), 10);
        res.on('close', () => clearInterval(timer));
      },
    ],
  ])('gives up a server that %s', async (_, handler) => {
    const { url, asked } = await serve(handler);
    const request = { url, timeoutMs: 100, isRepeatable: true };
    expect((await failureOf(clientOf(), request)).reason).toBe('timeout');
    expect(asked.length).toBeLessThanOrEqual(1);
  });

  it('repeats only what may be repeated, once, when the connection breaks', async () => {
    let resets = 1;
    const { url, asked } = await serve((req, res) => {
      if (resets-- > 0) req.socket.resetAndDestroy();
      else res.end(BODY);
    });
    const client = clientOf();
    const request = { url, timeoutMs: PATIENT_MS };
    expect((await client.send({ ...request, isRepeatable: true })).status).toBe(200);
    expect(asked).toHaveLength(2);

    resets = 1;
    expect((await failureOf(client, request)).reason).toBe('connection');
    expect(asked).toHaveLength(3);

    resets = 9;
    const failure = await failureOf(client, { ...request, isRepeatable: true });
    expect(failure.code).toMatch(/^(?:ECONNRESET|UND_ERR_SOCKET)$/);
    expect(asked).toHaveLength(5);
  });

  it.each<[string, string, Handler]>([
    ['closes the connection', 'closed the connection', ({ socket }) => void socket.end()],
    [
      'resets it',
      'closed the connection',
      ({ socket }) => {
        socket.resetAndDestroy();
      },
    ],
    [
      'speaks another protocol',
      'sent something that is not HTTP',
      ({ socket }) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
    ],
    [
      'sends endless headers',
      'sent too many headers',
      ({ socket }) => void socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n`),
    ],
    [
      'answers before it was asked to go on',
      'sent an interim response that nobody asked for',
      ({ socket }) => void socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
    ],
    [
      'compresses nothing',
      'sent a response that could not be decompressed',
      (_, res) => void res.writeHead(200, { 'Content-Encoding': 'gzip' }).end('plain'),
    ],
  ])('says in words, not in codes of its own, that a server %s', async (_, words, handler) => {
    const { url } = await serve(handler);
    const client = clientOf({ encodings: ['gzip'] });
    const failure = await failureOf(client, { url, timeoutMs: PATIENT_MS });
    expect(failure.message).toBe(words);
  });

  it('aborts requests in flight when it closes', async () => {
    const client = clientOf();
    const { url } = await serve(() => void client.close());
    expect((await failureOf(client, { url })).reason).toBe('connection');
  });

  it('says which error the connection had', async () => {
    const { url, server } = await serve(() => {});
    server.close();
    await once(server, 'close');
    const { message, code } = await failureOf(clientOf(), { url });
    expect([message, code]).toEqual(['could not be reached (ECONNREFUSED)', 'ECONNREFUSED']);
  });
});

it('The client gives a long body’s memory back with its text, and leaves alone what small ones share', async () => {
  const long = JSON.stringify('x'.repeat(100_000));
  const { url } = await serve(({ url: path }, res) => {
    res.setHeader('content-type', 'application/json').end(path === '/long' ? long : BODY);
  });
  const client = clientOf({ maxBytes: 200_000 });
  const get = (path: string) => client.send({ url: `${url}${path}`, timeoutMs: PATIENT_MS });
  const reply = await get('/long');
  const { buffer } = reply.bytes;
  expect(reply.takeText()).toBe(long);
  expect(buffer.byteLength).toBe(0);
  expect(reply.text).toBe(long);
  const small = await get('/small');
  expect(small.takeText()).toBe(BODY);
  expect(Buffer.from(small.bytes).toString()).toBe(BODY);
});
