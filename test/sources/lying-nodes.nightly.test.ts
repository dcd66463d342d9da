import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Reputation } from '#reputation/api-records';
import { hoursAgo } from '../support/chain-times.ts';
import { untilPasses } from '../support/eventually.ts';
import { temporaryFolder } from '../support/import-cli.ts';
import { serveHere } from '../support/serve-here.ts';
import type { StandInAnswer } from '../support/sources/http-stand-in.ts';
import { openHub } from '../support/sources/snapshot-hub.ts';
import { keyNamed, openSolanaNode, type SolanaStandIn } from '../support/sources/solana-chain.ts';

/*
 * Responses that never end or are too large, through the whole path: a node's answer, the thread that
 * reads, the store, and /v1.
 */

const PROGRAM = keyNamed('program');
const SIGNER = keyNamed('signer');
const VOTER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
/** Seconds since 1970, of Solana's first slot. */
const START = hoursAgo();

const RULES = `fathom: 1
name: reef
version: 1
sources:
  sol: {chain: solana, rpc: [SOL_1, SOL_2, SOL_3]}
  snap: {chain: snapshot, hub: [HUB]}
rules:
  - {id: check-in, on: {source: sol, program: ${PROGRAM}, prefix: "0x07", since: 1}, wallet: signer, give: {type: check_in, points: 1}}
  - {id: snap-vote, on: {source: snap, space: reef.eth, since: 2020-09-01}, give: {type: vote, points: 20}}
`;

/** A valid beginning, and more than any response may have. */
const HUGE: StandInAnswer = {
  body: `{"jsonrpc":"2.0","id":1,"data":{"votes":[],"proposals":[]},"result":[]${' '.repeat(17 * 1024 * 1024)}}`,
};

it('A source counts nothing of what drips or is too large, and goes on with the other nodes', async () => {
  const checkIn = (slot: number) => ({
    ...{ slot, signer: SIGNER, instructions: [{ program: PROGRAM, data: '07' }] },
  });
  const chain = { genesisTime: START, head: 1_000, transactions: [checkIn(5), checkIn(6)] };
  const sol = await Promise.all([1, 2, 3].map(() => openSolanaNode(chain)));
  const closed = { space: 'reef.eth', scores_state: 'final' };
  const hub = await openHub({
    proposals: [{ ...closed, id: 'p', end: START + 100 }],
    votes: [{ id: 'v', proposal: 'p', voter: VOTER, created: START + 5, vp_state: 'final' }],
  });
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'rules.yaml'), RULES);
  const [one, two, three] = sol as [SolanaStandIn, SolanaStandIn, SolanaStandIn];
  one.instead = () => 'drip';
  hub.instead = () => 'drip';
  const service = await serveHere({
    ...{ DATABASE_URL: `sqlite:${join(folder, 'f.db')}`, RULES: join(folder, 'rules.yaml') },
    ...{ SOL_1: one.url.href, SOL_2: two.url.href, SOL_3: three.url.href, HUB: hub.url.href },
    RATE_LIMIT_PUBLIC: '100000',
  });
  onTestFinished(() => service.stop());
  const scoreOf = async (address: string) => {
    const response = await fetch(`${service.url}/v1/reputation/${address}`);
    return ((await response.json()) as Partial<Reputation>).score ?? 0;
  };
  const sources = async () => {
    const { checks } = (await (await fetch(`${service.url}/readyz`)).json()) as {
      checks: Record<string, { ok: boolean; detail: string }>;
    };
    return checks.sources;
  };

  await untilPasses(async () => expect(await scoreOf(SIGNER)).toBe(2));
  await untilPasses(async () => {
    expect(await sources()).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/snap waiting/),
    });
  });
  expect(service.output()).toContain(`HUB (${hub.host}) took too long to respond`);
  expect(await scoreOf(VOTER)).toBe(0);

  // Now it's too much at once, and another node's turn.
  hub.instead = () => HUGE;
  const before = hub.requests.length;
  one.instead = () => undefined;
  three.instead = () => HUGE;
  // All nodes have the same list.
  one.chain.transactions.push(checkIn(1_500));
  for (const node of sol) node.chain.head = 2_000;
  await untilPasses(async () => expect(await scoreOf(SIGNER)).toBe(3));
  await untilPasses(() => expect(hub.requests.length - before).toBeGreaterThan(1));
  expect(await scoreOf(VOTER)).toBe(0);

  hub.instead = () => undefined;
  await untilPasses(async () => expect(await scoreOf(VOTER)).toBe(20));
  await untilPasses(async () => expect(await sources()).toMatchObject({ ok: true }));
  expect(await scoreOf(SIGNER)).toBe(3);
  expect(service.output()).not.toContain('kEyInPaTh');
  await service.stop();
});
