import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createApiKey } from '#base/api-key';
import { hashApiKey } from '#base/process/api-key-hash';
import { openQuietly } from '../../support/filled-store.ts';
import { activityOf, batchOf, ETH_A, writeTo } from '../../support/ledger.ts';
import { startService } from '../../support/service.ts';

const KEYS = 3;
const CONNECTIONS_A_KEY = 4;
/** As many as fit into one packet. */
const REQUESTS = 240;
const MOST_MB = 150;

/** The process's peak memory so far. */
function peakMb(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

async function databaseWithLongPages(): Promise<{ url: string; keys: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const url = `sqlite:${join(folder, 'fathom.db')}`;
  const store = await openQuietly(url);
  const description = 'x'.repeat(1_000);
  const activities = Array.from({ length: 200 }, (_, i) =>
    activityOf(ETH_A, String(i), { description }),
  );
  await writeTo(store, batchOf({ activities }));
  const keys: string[] = [];
  for (let i = 0; i < KEYS; i += 1) {
    const key = createApiKey(randomBytes);
    await store.keys.add({ label: 'test', owner: 'cli', hash: hashApiKey(key) }, KEYS);
    keys.push(key);
  }
  await store.close();
  return { url, keys };
}

it('The API bounds memory if clients request thousands of long pages and read none', async () => {
  const { url, keys } = await databaseWithLongPages();
  const service = await startService({ DATABASE_URL: url });
  onTestFinished(async () => void (await service.stop()));
  const path = `/v1/activity/${ETH_A.address}?limit=200`;
  const page = await (await fetch(service.url + path)).text();
  expect(page.length).toBeGreaterThan(200_000);
  const before = peakMb(service.child.pid);

  const { hostname, port } = new URL(service.url);
  const sockets: Socket[] = [];
  for (const key of keys) {
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`;
    for (let i = 0; i < CONNECTIONS_A_KEY; i += 1) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.write(request.repeat(REQUESTS));
      sockets.push(socket);
      onTestFinished(() => void socket.destroy());
    }
  }
  // The rest of the packet with an answered request was looked at, too.
  await Promise.all(sockets.map((socket) => once(socket, 'readable')));
  expect(peakMb(service.child.pid) - before).toBeLessThan(MOST_MB);
  expect((await fetch(`${service.url}/livez`)).status).toBe(200);
});
