import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { RetryableError } from '#base/errors';
import { HostPace } from '#sources/host-pace';
import type { NodeFault } from '#sources/node/fault';
import { parseExactly, SourceNode } from '#sources/node/node';
import { NodePool } from '#sources/node/pool';
import { MISBEHAVIOURS, misbehave } from '../../support/misbehaviour.ts';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

async function nodeOf(
  handler: Handler,
  timeoutMs = 60_000,
  pace?: HostPace,
): Promise<{ node: SourceNode; port: number }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://user:pAsSwOrD@127.0.0.1:${port}/kEyInPaTh/?key=kEyInQuErY`);
  const node = new SourceNode(url, {
    maxBytes: 1024 * 1024,
    timeoutMs,
    pace,
    headers: { 'x-api-key': 'kEyInHeAdEr' },
  });
  onTestFinished(async () => {
    await node.close();
    server.closeAllConnections();
    server.close();
  });
  return { node, port };
}

it('The figures of a node count a request that failed and was sent again as failed', async () => {
  const statuses = [502, 502];
  const { node } = await nodeOf((_, res) => {
    res.writeHead(statuses.shift() ?? 200).end('{}');
  });
  const pool = new NodePool([node], { source: 'one' });
  expect((await node.ask({})).status).toBe(200);
  expect(pool.status()).toMatchObject([{ requests: 3, failures: 2 }]);
});

it('The client of a node sends requests to its path, with its password and its headers', async () => {
  const seen: unknown[] = [];
  const { node } = await nodeOf((req, res) => {
    seen.push(req.method, req.url, req.headers.authorization, req.headers['x-api-key']);
    res.end('{"a":1}');
  });
  expect(await node.ask({ path: '/v2/x', query: { limit: '5' } })).toEqual({
    status: 200,
    json: { a: 1 },
  });
  expect(seen).toEqual([
    'GET',
    '/kEyInPaTh/v2/x?key=kEyInQuErY&limit=5',
    `Basic ${btoa('user:pAsSwOrD')}`,
    'kEyInHeAdEr',
  ]);
});

it('The client of a node refuses a password that can’t be decoded, and shows nothing of it', () => {
  const url = new URL('http://user:pAs%sWoRd@node.example/kEy');
  const open = () => new SourceNode(url, { maxBytes: 1, timeoutMs: 1 });
  expect(open).toThrow(RetryableError);
  expect(open).toThrow('node.example has a username or password that can');
  expect(open).not.toThrow(/pAs|kEy/);
});

it('The client of a node takes an error with a status of 5xx for an answer where that is known to be one', async () => {
  const { node } = await nodeOf((_, res) => res.writeHead(500).end('{"error":{"code":1}}'));
  await expect(node.ask({})).rejects.toMatchObject({ kind: 'unreachable', isServerError: true });
  const isAnswer = (json: unknown) => typeof json === 'object' && json !== null && 'error' in json;
  expect(await node.ask({ isAnswer })).toEqual({ status: 500, json: { error: { code: 1 } } });
});

it.each(MISBEHAVIOURS.filter((how) => !['null', 'list', 'gzip', 'redirect'].includes(how)))(
  'The client of a node names the node at fault, and nothing more: %s',
  async (how) => {
    const isSlow = how === 'hang' || how === 'drip';
    const handler: Handler = (_, res) => misbehave(res, how, '{"a":1}');
    const { node, port } = await nodeOf(handler, isSlow ? 400 : undefined);
    const error: unknown = await node.ask({ path: '/x' }).catch((thrown: unknown) => thrown);
    const kinds: Partial<Record<typeof how, string>> = {
      'status 429': 'limited',
      'status 401': 'unfit',
      hang: 'too-much',
      drip: 'too-much',
      huge: 'too-much',
    };
    expect(error).toMatchObject({ name: 'RetryableError', kind: kinds[how] ?? 'unreachable' });
    expect(String(error)).toContain(`127.0.0.1:${port}`);
    expect(String(error) + JSON.stringify(error)).not.toMatch(/pAsSwOrD|kEy/);
  },
);

it.each([
  ['7', 7],
  ['0', 1],
  ['99999', 600],
  ['soon', 5],
])('The client of a node waits as a 429 says: %s', async (header, seconds) => {
  const { node } = await nodeOf((_, res) => res.writeHead(429, { 'Retry-After': header }).end());
  await expect(node.ask({})).rejects.toMatchObject({ kind: 'limited', retryAfter: seconds });
});

it.each([
  [3, 'whole'],
  [9, 'limited'],
])(
  'The client of a node slows down for a host that says so, %i times',
  async (refusals, outcome) => {
    let requests = 0;
    const pace = new HostPace();
    onTestFinished(() => pace.close());
    const { node } = await nodeOf(
      (_, res) => {
        requests += 1;
        res.writeHead(requests > refusals ? 200 : 429).end('{}');
      },
      60_000,
      pace,
    );
    const kind = await node.ask({}).then(
      () => 'whole',
      (error: NodeFault) => error.kind,
    );
    expect(kind).toBe(outcome);
    expect(requests).toBe(outcome === 'whole' ? refusals + 1 : 5);
    expect(pace.spacingMs).toBeGreaterThan(50);
  },
);

it('The client of a node says at once that a host wants a long pause, which others need not wait for', async () => {
  let requests = 0;
  const pace = new HostPace();
  onTestFinished(() => pace.close());
  const handler: Handler = (_, res) => {
    requests += 1;
    res.writeHead(429, { 'Retry-After': '3600' }).end();
  };
  const { node } = await nodeOf(handler, 60_000, pace);
  await expect(node.ask({})).rejects.toMatchObject({ kind: 'limited', retryAfter: 600 });
  expect(requests).toBe(1);
});

it('The client of a node follows no redirect, and says so', async () => {
  const { node } = await nodeOf((_, res) => res.writeHead(302, { location: '/' }).end());
  await expect(node.ask({})).rejects.toThrow('redirects elsewhere (status 302): correct its URL');
});

it.each<[string, (res: ServerResponse) => unknown]>([
  [
    'what should be compressed',
    (res) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end('{}'),
  ],
  ['UTF-8', (res) => res.end(Buffer.from([0x22, 0xff, 0x22]))],
])('The client of a node asks again after garbage in place of %s', async (_, garbage) => {
  let requests = 0;
  const { node } = await nodeOf((_req, res) => {
    requests += 1;
    if (requests === 1) garbage(res);
    else res.end('{}');
  });
  expect(await node.ask({})).toMatchObject({ status: 200 });
  expect(requests).toBe(2);
});

it('The client of a node retries after the server closed the connection', async () => {
  let requests = 0;
  const { node } = await nodeOf((req, res) => {
    requests += 1;
    if (requests === 2) req.socket.resetAndDestroy();
    else res.end('{}');
  });
  await node.ask({});
  expect(await node.ask({})).toMatchObject({ status: 200 });
  expect(requests).toBe(3);
});

it.each([
  ['18446744073709551615', 18446744073709551615n],
  ['-9007199254740993', -9007199254740993n],
  ['9007199254740991', 9007199254740991],
  ['1e400', Number.POSITIVE_INFINITY],
  ['12345678901234567.5', 12345678901234568],
  ['"18446744073709551615"', '18446744073709551615'],
])("The client of a node keeps integers as they're written: %s", (text, value) => {
  expect(parseExactly(`{"a":[${text}]}`)).toEqual({ a: [value] });
});
