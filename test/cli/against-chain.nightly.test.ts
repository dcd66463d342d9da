import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { compareWithChains, parseShare } from '#cli/evidence/against-chain';
import { verifyEvidence } from '#cli/evidence/proof-file';
import { soleReplica } from '#cluster/memory-work';
import { inputsBySource } from '#scoring/inputs/input';
import type { Source } from '#scoring/model';
import { HostPaces } from '#sources/host-pace';
import { openSource } from '#sources/open-source';
import { SourceReader } from '#sources/reading/reader';
import type { Wallet } from '#wallet/wallet';
import { exportedFrom, forged } from '../support/evidence-file.ts';
import { type ChainLog, EvmChain, NODE_SECRET, openChainNode, word } from '../support/evm-chain.ts';
import { openQuietly } from '../support/filled-store.ts';
import { runCli, workplace } from '../support/import-cli.ts';
import { walletOf } from '../support/import-lines.ts';
import { eventOf } from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { patienceMs } from '../support/patience.ts';
import { ScoredStore, TODAY } from '../support/scoring.ts';

const GOVERNOR = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const VOTE = '0xb8e138887d0aa13bab447e82de9d5c1777041ecd21ca36ba824ff1e6c07ddda4';
const TOKEN = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const EVENT =
  'VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)';
const RULES = `fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE_ONE, NODE_TWO]}
rules:
  - {id: vote, on: {source: eth, contract: ${GOVERNOR}, event: "${EVENT}", since: 5}, wallet: voter, give: {type: vote, points: 50}}
  - {id: late, on: {source: eth, contract: ${GOVERNOR}, event: "${EVENT}", since: 2000}, wallet: voter, give: {type: late, points: 1}}
  - {id: holder, hold: {source: eth, erc20: ${TOKEN}, min: 1, since: 1}, give: {type: holding, points: 1}}
  - {id: workshop, on: {import: workshop_attended}, give: {type: event_attended, points: 25}}
`;
const HEAD = 4_000;

function vote(block: number, { address }: Wallet): ChainLog {
  const topics = [VOTE, `0x${word(address)}`];
  const data = `0x${word(block)}${word(1)}${word(5n)}${word(128)}${word(0)}`;
  return { block, address: GOVERNOR.toLowerCase(), topics, data };
}

/** Of a token: between two wallets, or to oneself. */
function transfer(block: number, from: string, to: string, amount: bigint): ChainLog {
  const topics = [TRANSFER, `0x${word(from)}`, `0x${word(to)}`];
  return { block, address: TOKEN.toLowerCase(), topics, data: `0x${word(amount)}` };
}

/** An evidence file of a chain that was really read, and the nodes it was read from. */
async function exported() {
  const votes = Array.from({ length: 40 }, (_, i) => vote(10 + i * 100, walletOf(i % 7)));
  const [one, other] = [walletOf(1).address, walletOf(2).address];
  const chain = new EvmChain(HEAD, [
    ...votes,
    transfer(50, `0x${'0'.repeat(40)}`, one, 100n),
    transfer(60, one, other, 40n),
    transfer(70, one, one, 5n),
  ]);
  const nodes = await Promise.all([openChainNode(chain), openChainNode(chain)]);
  const urls: Record<string, string> = {
    NODE_ONE: String(nodes[0]?.url),
    NODE_TWO: String(nodes[1]?.url),
  };
  const store = await openQuietly('sqlite::memory:');
  const scored = new ScoredStore(store, TODAY);
  const [{ rules }] = scored.rulesOf(RULES);
  const [source] = rules.sources as readonly [Source];
  const inputs = inputsBySource([rules]).get('eth') ?? [];
  const paces = new HostPaces();
  const reader = new SourceReader({
    ...{ id: 'eth', chainId: 'eip155:1', store: store.evidence, log: silentLog },
    chain: await openSource(source, (name) => urls[name], paces),
    highestWallet: () => store.scoring.highestWallet(),
    wanted: () => ({ inputs, live: new Set(inputs.map(({ name }) => name)), nobody: new Set() }),
    replica: soleReplica(silentLog),
  });
  reader.begin();
  onTestFinished(async () => {
    await reader.stop();
    paces.close();
    await store.close();
  });
  await vi.waitFor(
    async () => {
      const read = await store.evidence.inputs();
      expect(read.map(({ position }) => position.height)).toEqual([HEAD, HEAD, HEAD]);
    },
    { timeout: patienceMs(), interval: 10 },
  );
  await scored.add(eventOf(walletOf(1), 'w1'));
  await scored.apply(RULES);
  const lines = (await exportedFrom(store)).trimEnd().split('\n');
  const bytes = (all: readonly string[]) => Buffer.from(`${all.join('\n')}\n`);
  const { signal } = new AbortController();
  const { subject } = await verifyEvidence([bytes(lines)], { signal, onProgress: () => undefined });
  const compare = (all: readonly string[] = lines, share = 1) =>
    compareWithChains({
      ...{ subject, share, signal, random: () => 0, onProgress: () => undefined },
      async *chunks() {
        yield bytes(all);
      },
      variable: (name) => urls[name],
    });
  const isEvent = (line: string) => line.startsWith('{"kind":"event"') && line.includes('"eth"');
  return {
    chain,
    nodes,
    urls,
    lines,
    bytes,
    compare,
    at: lines.findIndex((line) => line.includes('"weight"')),
    isEvent,
  };
}

it('Comparing evidence with a chain finds each event of the file on the chain, and no others there', async () => {
  const { lines, compare, isEvent } = await exported();
  expect(await compare()).toEqual({
    asked: [{ id: 'eth', nodes: 2, heights: HEAD }],
    compared: lines.filter(isEvent).length,
    unused: 0,
    unasked: [],
  });
  const { asked, compared } = await compare(lines, 0.1);
  expect(asked).toEqual([{ id: 'eth', nodes: 2, heights: 400 }]);
  expect(compared).toBeGreaterThan(0);
  expect(compared).toBeLessThan(lines.filter(isEvent).length);
});

it('Comparing evidence with a chain shows the first event that isn’t as the chain has it', async () => {
  const { lines, at, compare } = await exported();
  const event = lines[at] ?? '';
  const changed = event.replace('"weight":"5"', '"weight":"6"');
  await expect(compare(lines.with(at, changed))).rejects.toThrow(
    /^Line \d+: the arguments of 0x\w+ at eth \d+ are .*"5".* on the chain, but the file says .*"6".*\.$/,
  );
  const { time, height, address } = JSON.parse(event);
  await expect(
    compare(lines.with(at, event.replace(`"time":${time}`, `"time":${time + 1}`))),
  ).rejects.toThrow(`is ${time} on the chain, but the file says ${time + 1}`);
  const added = event.replace(`"height":${height}`, `"height":${height + 1}`);
  await expect(compare(lines.toSpliced(at, 0, added))).rejects.toThrow(
    `the chain has no such event of ${address} at eth ${height + 1}`,
  );
  await expect(compare(lines.toSpliced(at, 1))).rejects.toThrow(
    `The chain has an event of ${address} at eth ${height} `,
  );
});

it('Comparing evidence with a chain counts events that it can’t compare, as no rule says what they are', async () => {
  const { lines, at, compare } = await exported();
  const { input } = JSON.parse(lines[at] ?? '');
  const made = (lines[at] ?? '').replace(JSON.stringify(input), '"an input of earlier rules"');
  const { unused } = await compare(lines.toSpliced(at, 0, made));
  expect(unused).toBe(1);
});

it('Comparing evidence with a chain shows that the chain has another block than the scores stand on', async () => {
  const { chain, compare } = await exported();
  chain.forkedAt = HEAD;
  await expect(compare()).rejects.toThrow(`Block ${HEAD} of eth has the hash `);
});

it('Comparing evidence with a chain says what can’t be compared', async () => {
  const { urls, lines, bytes, chain, compare } = await exported();
  const place = workplace();
  writeFileSync(join(place.cwd, 'evidence.gz'), gzipSync(bytes(lines)));
  const args = ['evidence', 'verify', 'evidence.gz', '--against-chain', '100%'];
  const checked = await runCli(args, { cwd: place.cwd, env: { ...place.env, ...urls } });
  expect(checked.stderr).toContain('Reading eth: 100%');
  expect(checked.stdout).toContain(
    'eth: 4,000 heights read again\nThe 63 events that the file has there match the chains.\nImported events and activities can’t be checked on a chain; balances weren’t checked.\n',
  );
  expect(checked.code).toBe(0);
  expect(checked.stdout + checked.stderr).not.toContain(NODE_SECRET);
  const unset = await runCli(args, { cwd: place.cwd, env: place.env });
  expect(unset.stdout).toContain('eth: not checked. NODE_ONE is not set.');
  expect(unset.code).toBe(3);

  chain.head = HEAD - 1;
  expect((await compare()).unasked).toEqual([
    { id: 'eth', words: `eth is at ${HEAD - 1} by its nodes, behind ${HEAD}.` },
  ]);
});

it('Comparing evidence with a chain accepts no event above what its source is complete to, as no chain would be asked about it', async () => {
  const { lines, bytes, chain } = await exported();
  const { signal } = new AbortController();
  const verify = (header: object) =>
    verifyEvidence([bytes(forged(lines.with(0, JSON.stringify(header))))], {
      ...{ signal, onProgress: () => undefined },
    });
  const header = JSON.parse(lines[0] ?? '');
  expect(await verify(header)).toMatchObject({ end: { kind: 'end' } });
  const [end] = header.ends;
  const ends = [{ ...end, height: 120, hash: chain.hashOf(120) }];
  await expect(verify({ ...header, ends })).rejects.toThrow(
    /there's an event at eth \d+, but eth is only complete to 120\.$/,
  );
  await expect(verify({ ...header, ends: [] })).rejects.toThrow(
    "there's an event of eth, but nothing says how far eth is complete.",
  );
});

it('Comparing evidence with a chain says that a node which is named twice is a single one', async () => {
  const { urls, lines, bytes } = await exported();
  const place = workplace();
  writeFileSync(join(place.cwd, 'evidence.gz'), gzipSync(bytes(lines)));
  const args = ['evidence', 'verify', 'evidence.gz', '--against-chain', '1%'];
  const env = { ...place.env, ...urls, NODE_TWO: String(urls.NODE_ONE) };
  const { stdout } = await runCli(args, { cwd: place.cwd, env });
  expect(stdout).toContain('heights read again (a single node: missing events would go unnoticed)');
});

it('Comparing evidence with a chain takes a share between nothing and all', () => {
  expect(['1%', '0.5%', '100%'].map(parseShare)).toEqual([0.01, 0.005, 1]);
  for (const text of ['0%', '101%', '1', '', 'all', '1e2%', '-1%']) {
    expect(() => parseShare(text)).toThrow('--against-chain takes a share');
  }
});
