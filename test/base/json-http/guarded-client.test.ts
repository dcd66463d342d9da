import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GuardedClient, type GuardedClientOptions } from '#base/json-http/client';
import { HttpFailure } from '#base/json-http/reply';
import { TargetGuard, type TargetGuardOptions } from '#base/json-http/target-guard';
import { startDns } from '../../support/dns-server.ts';

/** Long, so that only hanging requests reach it. */
const PATIENT_MS = 60_000;
const FIRST = '127.0.0.1/32';

/** Listens on a loopback address until the test ends, and counts connections. */
async function listen<T extends Server>(server: T, host = '127.0.0.1') {
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    server.close();
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://${host}:${port}`, connections: () => connections };
}

const serve = (handler: RequestListener, host?: string) => listen(createServer(handler), host);

type Options = Partial<TargetGuardOptions & GuardedClientOptions>;

function clientOf({ privateNetworks = [FIRST], lookup, ...options }: Options = {}) {
  const guard = new TargetGuard({ privateNetworks, ...(lookup && { lookup }) });
  const client = new GuardedClient({ guard, maxBytes: 1_000, timeoutMs: PATIENT_MS, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Why a request fails; the message contains nothing of the URL. */
async function refusalOf(client: GuardedClient, url: string, method: 'GET' | 'POST' = 'GET') {
  const error = await client.send({ url, method }).then(
    (reply) => reply.status,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(HttpFailure);
  const { reason, message } = error as HttpFailure;
  expect(message).not.toMatch(/\d\.\d|::|example|password/);
  return reason;
}

describe('a guarded client', () => {
  it.each(['127.0.0.1', 'localhost', '0x7f.1', '127.0.0.1.', '[::ffff:127.0.0.1]'])(
    'without private networks connects to nothing at %s',
    async (host) => {
      const server = await serve((_, res) => res.end());
      const client = clientOf({ privateNetworks: [] });
      for (const scheme of ['http', 'https']) {
        const url = `${scheme}://${host}:${server.port}`;
        expect(await refusalOf(client, url)).toBe('private-address');
      }
      expect(server.connections()).toBe(0);
    },
  );

  it('reaches private networks that are named by http, and no others', async () => {
    const named = await serve((_, res) => res.end('here'));
    const other = await serve((_, res) => res.end(), '127.0.0.2');
    const client = clientOf();
    expect((await client.send({ url: named.url })).text).toBe('here');
    expect((await client.send({ url: `http://localhost:${named.port}` })).text).toBe('here');
    expect(await refusalOf(client, other.url)).toBe('private-address');
    expect(other.connections()).toBe(0);
  });

  it('reaches them by https with a certificate that holds', async () => {
    const folder = new URL('../../support/certificates/', import.meta.url);
    const pem = (file: string) => readFileSync(new URL(`${file}.pem`, folder), 'utf8');
    const handler: RequestListener = (_, res) => res.end('here');
    const tls = { key: pem('server-key'), cert: pem('good') };
    const { url } = await listen(createTlsServer(tls, handler));
    const secure = url.replace('http:', 'https:');
    expect(await refusalOf(clientOf(), secure)).toBe('connection');
    await expect(clientOf().send({ url: secure })).rejects.toThrow(
      'if its certificate is your own, name the authority in NODE_EXTRA_CA_CERTS',
    );

    const trusted = getCACertificates('default');
    setDefaultCACertificates([pem('authority')]);
    onTestFinished(() => setDefaultCACertificates(trusted));
    expect((await clientOf().send({ url: secure })).text).toBe('here');
  });

  it.each([
    ['http://1.1.1.1', 'not-https'],
    ['http://1.1.1.1:443', 'not-https'],
    ['https://1.1.1.1:25', 'port'],
    ['https://[2606:4700::1111]:22', 'port'],
    ['https://10.0.0.1:25', 'private-address'],
    ['https://[fd00::1]', 'private-address'],
    ['https://user:password@1.1.1.1', 'url'],
    ['ftp://1.1.1.1', 'url'],
    ['file:///etc/passwd', 'url'],
    ['no URL', 'url'],
  ])('refuses %s', async (url, reason) => {
    expect(await refusalOf(clientOf(), url)).toBe(reason);
  });

  it('refuses a URL of more than 2,048 characters', async () => {
    expect(await refusalOf(clientOf(), `https://1.1.1.1/${'a'.repeat(2_048)}`)).toBe('url');
  });

  it('judges what a name resolves to', async () => {
    const server = await serve((_, res) => res.end('here'));
    const lookup = await startDns(
      (name) =>
        ({
          'named.example': ['127.0.0.1'],
          'mixed.example': ['10.0.0.1', '127.0.0.1', 'fd00:0:0:0:0:0:0:1'],
          'private.example': ['10.0.0.1', '0:0:0:0:0:ffff:7f00:2', '64:ff9b:0:0:0:0:a00:1'],
          'public.example': ['1.1.1.1', '10.0.0.1'],
          'empty.example': [],
        })[name],
    );
    const client = clientOf({ lookup });
    for (const name of ['named', 'mixed']) {
      const url = `http://${name}.example:${server.port}`;
      expect((await client.send({ url })).text).toBe('here');
    }
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://private.example:${server.port}`;
      expect(await refusalOf(client, url)).toBe('private-address');
    }
    expect(await refusalOf(client, 'http://public.example')).toBe('not-https');
    expect(await refusalOf(client, 'http://empty.example')).toBe('private-address');
    expect(await refusalOf(client, 'http://unknown.example')).toBe('connection');
  });

  it('connects to the address it judged, at each request, though the name changes it', async () => {
    const named = await serve((_, res) => res.setHeader('connection', 'close').end('here'));
    const inner = await serve((_, res) => res.end('secrets'), '127.0.0.2');
    let lookups = 0;
    const lookup = await startDns(() => [lookups++ === 0 ? '127.0.0.1' : '127.0.0.2']);
    const client = clientOf({ lookup });
    expect((await client.send({ url: `http://rebinding.example:${named.port}` })).text).toBe(
      'here',
    );
    expect(lookups).toBe(1);
    const again = `http://rebinding.example:${inner.port}`;
    expect(await refusalOf(client, again)).toBe('private-address');
    expect([lookups, inner.connections()]).toEqual([2, 0]);
  });

  it.each(['http://127.0.0.2:PORT/', '//127.0.0.2:PORT/', 'file:///etc/passwd', ''])(
    'follows no redirect to where a request may not go: %s',
    async (location) => {
      const inner = await serve((_, res) => res.end('secrets'), '127.0.0.2');
      const { url } = await serve((_, res) => {
        const target = location.replace('PORT', String(inner.port));
        res.writeHead(302, { Location: target }).end();
      });
      const reason = await refusalOf(clientOf({ maxRedirects: 3 }), url);
      expect(reason).toMatch(/^(?:private-address|url|redirect)$/);
      expect(inner.connections()).toBe(0);
    },
  );

  it('follows as many redirects as it may, and takes headers to no other origin', async () => {
    const seen: unknown[] = [];
    const last = await serve((req, res) => {
      seen.push(req.headers['x-own']);
      res.end('here');
    });
    const first = await serve((req, res) => {
      seen.push(req.headers['x-own']);
      const hops = Number(req.url?.slice(1));
      const location = hops > 1 ? `/${hops - 1}` : last.url;
      res.writeHead(307, { Location: location }).end();
    });
    const client = clientOf({ maxRedirects: 2 });
    const headers = { 'x-own': 'mine' };
    expect((await client.send({ url: `${first.url}/2`, headers })).text).toBe('here');
    expect(seen).toEqual(['mine', 'mine', undefined]);
    expect(await refusalOf(client, `${first.url}/3`)).toBe('redirect');

    const posted = await client.send({ url: `${first.url}/2`, method: 'POST', body: '{}' });
    expect(posted.status).toBe(307);
    expect((await clientOf().send({ url: `${first.url}/2` })).status).toBe(307);
  });

  it('sends no credentials and keeps no cookies', async () => {
    const seen: unknown[] = [];
    const { url } = await serve((req, res) => {
      seen.push(req.headers.cookie, req.headers.authorization);
      res.setHeader('Set-Cookie', 'id=1').end();
    });
    const client = clientOf();
    await client.send({ url });
    await client.send({ url });
    expect(seen).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('has one deadline for a chain of redirects', async () => {
    const { url } = await serve((_, res) => {
      setTimeout(() => res.writeHead(302, { Location: '/' }).end(), 20);
    });
    const client = clientOf({ maxRedirects: 1_000_000, timeoutMs: 200 });
    expect(await refusalOf(client, url)).toBe('timeout');
  });

  it('counts decoded bytes', async () => {
    const { url } = await serve((_, res) => {
      res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('a'.repeat(1_001)));
    });
    expect(await refusalOf(clientOf(), url)).toBe('too-large');
  });

  it('takes the media types that are asked for, whatever their parameters', async () => {
    const { url } = await serve((req, res) => {
      res.setHeader('Content-Type', req.url === '/page' ? 'text/html' : 'Image/PNG; q=1');
      res.end(Buffer.from([1, 2]));
    });
    const client = clientOf({ contentTypes: ['image/png'] });
    const { bytes, contentType } = await client.send({ url });
    expect([[...bytes], contentType]).toEqual([[1, 2], 'image/png']);
    expect(await refusalOf(client, `${url}/page`)).toBe('content-type');
  });

  it('sends a body as it is', async () => {
    const { url } = await serve(async (req, res) => {
      res.end(`${req.headers['content-type']} ${(await req.toArray()).join('')}`);
    });
    const reply = await clientOf().send({ url, method: 'POST', body: '{ "a": 1 }' });
    expect(reply.text).toBe('application/json { "a": 1 }');
  });

  it('ends when it is told to', async () => {
    const client = clientOf();
    const { url } = await serve(() => void client.close());
    expect(await refusalOf(client, url)).toBe('connection');
  });
});
