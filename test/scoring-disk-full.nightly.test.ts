import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { untilPasses } from './support/eventually.ts';
import { EvmChain, openChainNode, word } from './support/evm-chain.ts';
import { runCli, workplace } from './support/import-cli.ts';
import { addressOf } from './support/import-lines.ts';
import { type Service, startService } from './support/service.ts';
import { mountSmallDisk } from './support/small-disk.ts';

const CONTRACT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const WALLET = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const HEAD = 20_000;
const rules = (points: number) => `fathom: 1
name: test
version: ${points}
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - id: transfer
    on: {source: eth, contract: ${CONTRACT}, event: "Transfer(address indexed from, address indexed to, uint256 value)", since: 1}
    wallet: to
    give: {type: transfer, points: ${points}, text: "${'x'.repeat(150)}"}
  - {id: done, on: {import: done}, give: {type: done, points: 1000}}
`;

/** A transfer in each block. */
const transfers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => ({
    ...{ block: from + i, address: CONTRACT.toLowerCase(), data: `0x${word(1)}` },
    topics: [TRANSFER, `0x${word(0)}`, `0x${word(WALLET)}`],
  }));

/** Takes all that is left of a disk. @returns gives it back */
function fill(disk: string): () => void {
  const path = join(disk, 'filler');
  const file = openSync(path, 'a');
  try {
    for (;;) writeSync(file, Buffer.alloc(4096));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  } finally {
    closeSync(file);
  }
  return () => rmSync(path);
}

/**
 * Reads from a database without end, so that its log only grows, from nothing: it is written from the start
 * again once nobody reads from it, and its old end is room on a full disk.
 */
async function readWithoutEnd(path: string): Promise<DatabaseSync> {
  const reader = new DatabaseSync(path);
  const empty = reader.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  await untilPasses(() => expect(empty.get()).toMatchObject({ busy: 0 }));
  reader.exec('BEGIN; SELECT count(*) FROM wallet');
  return reader;
}

async function get({ url }: Service, path: string): Promise<Record<string, unknown>> {
  return (await fetch(url + path)).json() as Promise<Record<string, unknown>>;
}

it('Scoring says that the disk is full, and goes on reading and scoring once it is not', async (context) => {
  const event = { kind: 'event', event: 'done', timestamp: '2024-01-15T00:00:00Z' };
  const line = { ...event, address: addressOf('ethereum', 1), source: 'a' };
  const place = workplace({
    'events.ndjson': `${JSON.stringify(line)}\n`,
    'rules.yaml': 'empty',
    'two.yaml': rules(2),
  });
  const disk = mountSmallDisk(place.cwd, 6);
  if (disk === undefined) {
    context.skip('a small disk can be mounted by root alone');
    return;
  }
  const chain = new EvmChain(HEAD, transfers(1, HEAD));
  const node = await openChainNode(chain);
  const database = join(disk.path, 'fathom.db');
  const env = {
    ...{ DATABASE_URL: `sqlite:${database}`, NODE: String(node.url) },
    ...{ RULES: join(place.cwd, 'rules.yaml'), RATE_LIMIT_PUBLIC: '100000' },
  };
  const service = await startService(env);
  onTestFinished(async () => void (await service.stop()));
  const run = (...args: string[]) =>
    runCli(args, { cwd: place.cwd, env: { ...place.env, ...env } });
  expect(await run('import', 'events.ndjson')).toMatchObject({ code: 0 });

  const reader = await readWithoutEnd(database);
  const free = fill(disk.path);
  writeFileSync(join(place.cwd, 'rules.yaml'), rules(1));
  await untilPasses(() => expect(service.output()).toContain('is full'));
  await untilPasses(async () => {
    const { status, checks } = await get(service, '/readyz');
    expect({ status, checks }).toMatchObject({ status: 'ready', checks: { rules: { ok: false } } });
  });
  await untilPasses(async () => {
    const stale = await fetch(`${service.url}/v1/stats/global`);
    expect(stale.headers.get('reputation-status')).toBe('stale');
  });
  const applied = await run('rules', 'apply', 'two.yaml', '--yes');
  expect(applied).toMatchObject({ code: 1, stderr: expect.stringContaining('is full') });

  free();
  reader.close();
  disk.resize(256);
  const score = async () => (await get(service, `/v1/reputation/${WALLET}`)).score;
  await untilPasses(async () => expect(await score()).toBe(HEAD));
  await untilPasses(async () => {
    const { checks } = await get(service, '/readyz');
    expect(checks).toMatchObject({ rules: { ok: true, detail: 'test version 1' } });
  });
  expect(await run('rules', 'apply', 'two.yaml', '--yes')).toMatchObject({ code: 0 });
  await untilPasses(async () => expect(await score()).toBe(2 * HEAD));
});
