import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createPlainServer, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Api } from 'grammy';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { GuardedClient, JsonClient } from '#base/json-http/client';
import { TargetGuard } from '#base/json-http/target-guard';
import { connectSecurely, connectThrough } from '#base/json-http/tunnel';
import { faultOf as discordFault } from '#platforms/discord/gateway/faults';
import { makeRequest } from '#platforms/discord/rest/bot-rest';
import { apiClientOptions } from '#platforms/telegram/connection/api-client';
import { faultOf as telegramFault } from '#platforms/telegram/connection/faults';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { runHere } from '../../support/import-cli.ts';

const OK = 'HTTP/1.1 200 OK\r\n';

describe('through a proxy', () => {
  const folder = new URL('../../support/certificates/', import.meta.url);
  const pem = (file: string) => readFileSync(new URL(`${file}.pem`, folder), 'utf8');
  let plain = 0;
  let secure = 0;
  const servers: Server[] = [];
  const trusted = getCACertificates('default');

  beforeEach(async () => {
    setDefaultCACertificates([pem('named')]);
    const answer = (_: unknown, res: { end(text: string): void }) =>
      res.end('{"ok":true,"result":{"id":1,"is_bot":true,"first_name":"x","username":"x"}}');
    const own = [
      createServer(answer),
      createTlsServer({ key: pem('named-key'), cert: pem('named') }, answer),
    ];
    for (const server of own) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      servers.push(server);
    }
    [plain = 0, secure = 0] = own.map((server) => (server.address() as AddressInfo).port);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    setDefaultCACertificates(trusted);
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function behindProxy(allows = true) {
    const proxy = await startConnectProxy(
      (place) => (place.endsWith(':443') ? secure : plain),
      () => allows,
    );
    vi.stubEnv('HTTPS_PROXY', proxy.url.replace('://', '://user:p%40ss@'));
    vi.stubEnv('HTTP_PROXY', proxy.url);
    vi.stubEnv('NO_PROXY', 'direct.egress.test');
    return proxy;
  }
  const AS_USER = ` Basic ${Buffer.from('user:p@ss').toString('base64')}`;

  it('nodes, hubs, upstreams and name services are asked', async () => {
    const proxy = await behindProxy();
    const client = new JsonClient({
      ...{ connections: 1, connectMs: 5_000, maxBytes: 1_000, addresses: 'any' },
    });
    onTestFinished(() => client.close());
    const ask = (url: string) => client.send({ url, timeoutMs: 10_000 });
    expect((await ask('https://node.egress.test/key')).status).toBe(200);
    expect(proxy.asked).toEqual([`CONNECT node.egress.test:443${AS_USER}`]);
    expect((await ask('http://node.egress.test/key')).status).toBe(200);
    expect(proxy.asked).toHaveLength(2);
    await expect(ask('https://direct.egress.test')).rejects.toThrow();
    expect(proxy.asked).toHaveLength(2);
  });

  it('webhooks go to the address that their guard has judged', async () => {
    const proxy = await behindProxy();
    const found: Record<string, string> = {
      'hook.egress.test': '93.184.215.14',
      'inside.egress.test': '10.0.0.1',
    };
    const guard = new TargetGuard({
      privateNetworks: ['127.0.0.0/8'],
      lookup: (name, _, done) => done(null, [{ address: found[name] ?? '', family: 4 }]),
    });
    const client = new GuardedClient({ guard, maxBytes: 1_000, timeoutMs: 10_000 });
    onTestFinished(() => client.close());
    const reply = await client.send({
      url: 'https://hook.egress.test/x',
      method: 'POST',
      body: '{}',
    });
    expect(reply.status).toBe(200);
    expect(proxy.asked).toEqual([`CONNECT 93.184.215.14:443${AS_USER}`]);
    await expect(client.send({ url: 'https://inside.egress.test' })).rejects.toMatchObject({
      reason: 'private-address',
    });
    await expect(client.send({ url: 'http://hook.egress.test' })).rejects.toMatchObject({
      reason: 'not-https',
    });
    expect((await client.send({ url: `http://127.0.0.1:${plain}` })).status).toBe(200);
    expect(proxy.asked).toHaveLength(1);
  });

  it('a refusal is told in words', async () => {
    await behindProxy(false);
    const guard = new TargetGuard({
      privateNetworks: [],
      lookup: (_, __, done) => done(null, [{ address: '93.184.215.14', family: 4 }]),
    });
    const client = new GuardedClient({ guard, maxBytes: 1_000, timeoutMs: 10_000 });
    onTestFinished(() => client.close());
    await expect(client.send({ url: 'https://hook.egress.test' })).rejects.toThrow(
      'is not let through by the proxy (HTTP 403)',
    );
  });

  /** One that does this once it's asked, and knows how many asked and hung up. */
  async function proxyThat(answers: (socket: Socket) => unknown) {
    const sockets: Socket[] = [];
    const proxy = createPlainServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      socket.once('data', () => answers(socket));
      socket.resume();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    });
    return {
      url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      asked: () => sockets.length,
      hangUps: () => sockets.filter(({ closed }) => closed).length,
    };
  }

  /** A byte now and then, so that the connection is never idle. */
  function drip(socket: Socket): void {
    const head = `${OK}A: `[Symbol.iterator]();
    const timer = setInterval(() => socket.write(head.next().value ?? 'a'), 20);
    socket.once('close', () => clearInterval(timer));
  }

  /** One that answers whatever it's asked with these bytes, or never. */
  async function besideProxy(answer?: string) {
    const { url } = await proxyThat((socket) => answer !== undefined && socket.end(answer));
    vi.stubEnv('HTTPS_PROXY', url);
    const client = new JsonClient({
      ...{ connections: 1, connectMs: 200, maxBytes: 1_000, addresses: 'any' },
    });
    onTestFinished(() => client.close());
    return client;
  }
  const WANTS = 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n';

  it('a proxy that never answers ends a request when connecting would', async () => {
    const client = await besideProxy();
    const asked = client.send({ url: 'https://node.egress.test', timeoutMs: 300_000 });
    await expect(asked).rejects.toMatchObject({ reason: 'timeout' });
  });

  it('a proxy that is away is told from the target behind it', async () => {
    const client = await besideProxy('');
    const ask = () => client.send({ url: 'https://node.egress.test', timeoutMs: 10_000 });
    await expect(ask()).rejects.toThrow(/^is not reached, as the proxy /);
    vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1');
    await expect(ask()).rejects.toMatchObject({
      ...{ reason: 'connection', code: 'ECONNREFUSED' },
      message: 'is not reached, as the proxy could not be reached (ECONNREFUSED)',
    });
    vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1');
    const plain = client.send({ url: 'http://node.egress.test', timeoutMs: 10_000 });
    await expect(plain).rejects.toThrow(/^is not reached, as the proxy /);
  });

  it.each([
    ['answers bit by bit', 200, /_PROXY_/, (socket: Socket) => drip(socket)],
    ['leads nowhere', 200, /_PROXY_/, (socket: Socket) => socket.write(`${OK}\r\n`)],
    [
      'answers itself in place of the target',
      60_000,
      /_SSL_/,
      (socket: Socket) => socket.write(`${OK}\r\n<html>Please sign in</html>`),
    ],
  ])('a proxy that %s is given up', async (_, connectMs, code, answers) => {
    const { url, hangUps } = await proxyThat(answers);
    const target = new URL('https://telegram.egress.test');
    await expect(connectSecurely(new URL(url), target, connectMs)).rejects.toMatchObject({
      code: expect.stringMatching(code),
    });
    await expect.poll(hangUps).toBe(1);
  });

  it('any success of a proxy is one', async () => {
    const { url } = await proxyThat((socket) => socket.write('HTTP/1.1 201 Created\r\n\r\n'));
    const socket = await connectThrough(new URL(url), 'node.egress.test:443', 10_000);
    socket.destroy();
  });

  it('a call to Telegram that is given up leaves no connection to a silent proxy', async () => {
    const { url, asked, hangUps } = await proxyThat(() => undefined);
    vi.stubEnv('HTTPS_PROXY', url);
    const api = new Api('1:x', apiClientOptions('https://telegram.egress.test', 200));
    await expect(api.getMe()).rejects.toSatisfy((error) =>
      telegramFault(error).words.includes('HTTPS_PROXY'),
    );
    expect(asked()).toBe(1);
    await expect.poll(hangUps).toBe(1);
  });

  it('a proxy that wants a password is told of, whoever asks', async () => {
    const client = await besideProxy(WANTS);
    const words = 'wants a user and a password';
    await expect(
      client.send({ url: 'https://node.egress.test', timeoutMs: 10_000 }),
    ).rejects.toThrow(words);
    vi.stubEnv('HTTP_PROXY', process.env.HTTPS_PROXY);
    await expect(
      client.send({ url: 'http://node.egress.test', timeoutMs: 10_000 }),
    ).rejects.toThrow(words);
    const asked = makeRequest('https://discord.egress.test/api', {
      ...{ method: 'GET', headers: {} },
    } as Parameters<typeof makeRequest>[1]);
    const error: unknown = await asked.catch((caught: unknown) => caught);
    expect(discordFault(error).detail).toContain(words);
    const api = new Api('1:x', apiClientOptions('https://telegram.egress.test'));
    const failed: unknown = await api.getMe().catch((caught: unknown) => caught);
    expect(telegramFault(failed).words).toContain('HTTPS_PROXY, its user and password');
  });

  const page = (head: string) =>
    `HTTP/1.1 ${head}\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>`;

  it.each([
    ['403 Forbidden\r\nX-Squid-Error: ERR_ACCESS_DENIED 0'],
    ['502 Bad Gateway\r\nProxy-Status: a.example, out.example; error=dns_error; rcode=NXDOMAIN'],
    [
      '504 Gateway Timeout\r\nProxy-Status: a.example\r\nProxy-Status: b.example;error=connection_timeout',
    ],
  ])('what a proxy answers itself is told from an answer without TLS: %s', async (head) => {
    const client = await besideProxy(page(head));
    vi.stubEnv('HTTP_PROXY', process.env.HTTPS_PROXY);
    const words = `by the proxy (HTTP ${head.slice(0, 3)})`;
    const asked = client.send({ url: 'http://node.egress.test', timeoutMs: 10_000 });
    await expect(asked).rejects.toThrow(words);
    const ofDiscord = makeRequest('http://discord.egress.test/api', {
      ...{ method: 'GET', headers: {} },
    } as Parameters<typeof makeRequest>[1]);
    const error: unknown = await ofDiscord.catch((caught: unknown) => caught);
    expect(discordFault(error).detail).toContain(words);
    // grammY's client shows a page alone, so that its words name all that may have sent it.
    const api = new Api('1:x', apiClientOptions('http://telegram.egress.test'));
    const failed: unknown = await api.getMe().catch((caught: unknown) => caught);
    expect(telegramFault(failed).words).toContain('HTTP_PROXY');
  });

  it.each([
    ['403 Forbidden'],
    [
      '403 Forbidden\r\nProxy-Status: cdn.example; error=http_request_denied, out.example; received-status=403',
    ],
  ])('what may be the target’s answer is passed on: %s', async (head) => {
    const client = await besideProxy(page(head));
    vi.stubEnv('HTTP_PROXY', process.env.HTTPS_PROXY);
    const reply = await client.send({ url: 'http://node.egress.test', timeoutMs: 10_000 });
    expect([reply.status, reply.text]).toEqual([403, '<html>']);
  });

  it('a Telegram that redirects is not followed, and the fault names no address', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(307, { Location: '/elsewhere' }).end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const api = new Api('1:x', apiClientOptions(`http://127.0.0.1:${port}`));
    const failed: unknown = await api.getMe().catch((caught: unknown) => caught);
    expect(asked).toEqual(['/bot1:x/getMe']);
    const { words } = telegramFault(failed);
    expect(words).toContain('it redirects');
    expect(words).not.toContain(String(port));
  });

  it('Telegram and Discord are asked', async () => {
    const proxy = await behindProxy();
    const api = new Api('1:x', apiClientOptions('https://telegram.egress.test'));
    expect((await api.getMe()).username).toBe('x');
    const reply = await makeRequest('https://discord.egress.test/api/v10/gateway', {
      method: 'GET',
      headers: {},
    } as Parameters<typeof makeRequest>[1]);
    expect([reply.status, await reply.json()]).toEqual([
      200,
      expect.objectContaining({ ok: true }),
    ]);
    expect(proxy.asked.map((each) => each.split(' ')[1])).toEqual([
      'telegram.egress.test:443',
      'discord.egress.test:443',
    ]);
  });

  it('doctor says by which way each goes, without credentials', async () => {
    const { stdout } = await runHere(['doctor'], {
      ...{
        HTTPS_PROXY: 'http://user:secret@127.0.0.1:1',
        NO_PROXY: 'near.example,example.org,https://me:secret@far.invalid',
      },
      ...{ UPSTREAM_URL: 'http://127.0.0.1:9/v1', PORT: '0', METRICS_PORT: '0' },
      ETHEREUM_RPC_URL: 'https://near.example/key',
      SOLANA_RPC_URL: 'https://far.invalid/key',
    });
    expect(stdout).toMatch(
      /ok +egress +through http:\/\/127\.0\.0\.1:1: far\.invalid, what others/,
    );
    expect(stdout).toMatch(/ok +egress +directly: 127\.0\.0\.1:9, near\.example/);
    expect(stdout).toMatch(/warn +egress +NO_PROXY: .*@far\.invalid/);
    expect(stdout).not.toContain('secret');
    expect(stdout).not.toContain('/key');
  });

  it('doctor warns of ALL_PROXY where nothing else leads out, as it is not read', async () => {
    const env = { ALL_PROXY: 'http://127.0.0.1:1', PORT: '0', METRICS_PORT: '0' };
    const { stdout } = await runHere(['doctor'], env);
    expect(stdout).toMatch(/warn +egress +ALL_PROXY/);
    const both = await runHere(['doctor'], { ...env, HTTPS_PROXY: 'http://127.0.0.1:1' });
    expect(both.stdout).not.toContain('ALL_PROXY');
  });
});
