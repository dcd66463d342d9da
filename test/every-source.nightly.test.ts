import { createHash } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { wallSeconds } from '#base/time/clock';
import type { ActivityList, BadgeList, Breakdown, LeaderboardPage } from '#reputation/api-records';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Wallet } from '#wallet/wallet';
import { MAY } from '../bench/servers/discord/guild.ts';
import { DiscordStandIn } from '../bench/servers/discord/stand-in.ts';
import { GUILD } from '../bench/servers/discord/world.ts';
import { type Cluster, startCluster } from '../bench/servers/postgres/cluster.ts';
import { lastMidnight } from './support/chain-times.ts';
import { answered } from './support/discord/answered.ts';
import { untilPasses } from './support/eventually.ts';
import { type ChainLog, EvmChain, NODE_SECRET, openChainNode, word } from './support/evm-chain.ts';
import { ruleOf } from './support/gate-records.ts';
import { runHere, temporaryFolder } from './support/import-cli.ts';
import { silentLog } from './support/log.ts';
import { byDayOne } from './support/random.ts';
import { type ServedHere, serveHere } from './support/serve-here.ts';
import { openIndexer } from './support/sources/algorand-chain.ts';
import {
  AlgorandLedger,
  accountOf,
  appCall,
  assetTransfer,
  eventLog,
  keyOf,
} from './support/sources/algorand-world.ts';
import { openHub } from './support/sources/snapshot-hub.ts';
import { keyNamed, openSolanaNode } from './support/sources/solana-chain.ts';

/*
 * One rules file over every kind of source, from an empty database to what a member, an integrator
 * and an auditor see: all of them see the same figures.
 */

const GOVERNOR = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const NFT = '0x323A76393544d5ecca80cd6ef2A560C6a395b7E3';
const TOKEN = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB';
const VOTE = '0xb8e138887d0aa13bab447e82de9d5c1777041ecd21ca36ba824ff1e6c07ddda4';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const PROGRAM = keyNamed('program');
const ASA = 31566704;

const VOTER: Wallet = { chain: 'ethereum', address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' };
const MINTER: Wallet = { chain: 'ethereum', address: '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb' };
const SIGNER: Wallet = { chain: 'solana', address: keyNamed('signer') };
const HOLDER: Wallet = { chain: 'algorand', address: accountOf(1) };
const OTHER = accountOf(2);
/** An account that no wallet of ours can have. */
const STARKNET = `0x${'7'.repeat(64)}`;
const WALLETS = [VOTER, MINTER, SIGNER, HOLDER];

const DAY = 86_400;
const MIDNIGHT = lastMidnight();
/** Of the EVM's first block. All chains begin then. */
const START = MIDNIGHT - 3 * DAY;
/** How far the chains are at first, a few minutes before midnight, and when their nodes are back: on the day after. */
const FIRST_DAYS = 3 - 600 / DAY;
const LATER_DAYS = 3 + Math.max(60, wallSeconds() - MIDNIGHT - 3_600) / DAY;

const rulesFile = (version: number, check: number) => `fathom: 1
name: reef
version: ${version}
sources:
  eth: {chain: "eip155:1", rpc: [NODE_ONE, NODE_TWO]}
  sol: {chain: solana, rpc: [SOL_URL]}
  algo: {chain: algorand, indexer: [ALGO_URL]}
  snap: {chain: snapshot, hub: [HUB_URL]}
rules:
  - {id: gov-vote, on: {source: eth, contract: ${GOVERNOR}, event: "VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)", since: 1}, wallet: voter, once: proposalId, give: {type: governance_vote, points: 50, cap: 120 per 30d, text: "Voted on {proposalId}"}}
  - {id: genesis-mint, on: {source: eth, contract: ${NFT}, event: "Transfer(address indexed from, address indexed to, uint256 indexed tokenId)", since: 1}, wallet: to, where: {from: {eq: "0x0000000000000000000000000000000000000000"}}, give: {type: nft_mint, points: 30, badge: genesis}}
  - {id: lp, hold: {source: eth, erc20: ${TOKEN}, min: 100, since: 1}, give: {type: liquidity_day, points: 3}}
  - {id: check-in, on: {source: sol, program: ${PROGRAM}, prefix: "0x07", since: 1}, wallet: signer, give: {type: check_in, points: ${check}}}
  - {id: xgov, on: {source: algo, app: 5, event: "Vote(address,uint32,uint64)", since: 1}, wallet: 0, where: {2: {gte: 18446744073709551615}}, give: {type: governance_vote, points: 50}}
  - {id: joined, on: {source: algo, asset: ${ASA}, transfer: optin, since: 1}, wallet: sender, give: {type: joined, points: 5}}
  - {id: holds, hold: {source: algo, asa: ${ASA}, min: 100, since: 1}, give: {type: held, points: 3}}
  - {id: snap-vote, on: {source: snap, space: reef.eth, since: 2020-09-01}, give: {type: governance_vote, points: 20}}
badges:
  - {id: genesis, name: Genesis, description: Minted in the first hour, tier: Legendary, imageUrl: "https://example.org/g.png", soulbound: true}
  - {id: steward, name: Steward, description: Three votes, tier: Epic, imageUrl: "https://example.org/s.png", soulbound: true, need: {type: governance_vote, count: 3, within: 365d}}
`;

/** Days of holding that are over, by how far the chains are: the first one isn't full. */
const scoresAfter = (days: number, check = 1) =>
  new Map([
    // Three votes, the third of which is capped; holding; and one vote on Snapshot.
    [VOTER.address, 120 + 3 * Math.floor(days - 1) + 20],
    [MINTER.address, 30],
    [SIGNER.address, 2 * check],
    [HOLDER.address, 50 + 5 + 3 * Math.floor(days - 1)],
  ]);

function evmLogs(): ChainLog[] {
  const vote = (block: number, proposal: number): ChainLog => ({
    ...{ block, address: GOVERNOR.toLowerCase(), topics: [VOTE, `0x${word(VOTER.address)}`] },
    data: `0x${word(proposal)}${word(1)}${word(5n)}${word(128)}${word(0)}`,
  });
  const topics = [TRANSFER, `0x${word(0)}`];
  return [
    ...[vote(10, 1), vote(11, 1), vote(20, 2), vote(4_000, 3)],
    {
      ...{ block: 25, address: NFT.toLowerCase(), data: '0x' },
      topics: [...topics, `0x${word(MINTER.address)}`, `0x${word(7)}`],
    },
    {
      ...{ block: 30, address: TOKEN.toLowerCase(), data: `0x${word(100n)}` },
      topics: [...topics, `0x${word(VOTER.address)}`],
    },
  ];
}

function algorandLedger(): AlgorandLedger {
  const chain = new AlgorandLedger(START);
  const { address } = HOLDER;
  const config = { params: { total: 1_000n } };
  const make = { sender: OTHER, 'tx-type': 'acfg', 'asset-config-transaction': config };
  chain.send(1, { ...make, 'created-asset-index': ASA });
  chain.send(2, assetTransfer(ASA, address, { receiver: address, amount: 0 }));
  // The minter of all holds them for no full day.
  chain.send(10, assetTransfer(ASA, OTHER, { receiver: address, amount: 950 }));
  const log = eventLog('Vote(address,uint32,uint64)', [
    { type: 'address', value: keyOf(1) },
    { type: 'uint32', value: 1n },
    { type: 'uint64', value: 2n ** 64n - 1n },
  ]);
  chain.send(11, appCall(5, OTHER, { logs: [log] }));
  return chain;
}

/** All chains, each behind a node that can be taken away and given back. */
async function openChains() {
  const evm = new EvmChain(0, evmLogs());
  evm.genesis = START;
  const nodes = await Promise.all([openChainNode(evm), openChainNode(evm)]);
  for (const { balances } of nodes) balances.set(VOTER.address.toLowerCase(), 100n);
  const checkIn = (slot: number, data: string) => ({
    ...{ slot, signer: SIGNER.address, instructions: [{ program: PROGRAM, data }] },
  });
  const sol = await openSolanaNode({
    genesisTime: START,
    transactions: [checkIn(5, '07'), checkIn(6, '08'), checkIn(7, '0700')],
  });
  const { transactions } = algorandLedger();
  const algo = await openIndexer({ genesisTime: START, transactions });
  const closed = { space: 'reef.eth', scores_state: 'final' };
  const hub = await openHub({
    proposals: [
      { ...closed, id: 'p', end: START + 100 },
      // Nobody voted: they say how far the hub knows all votes.
      { ...closed, id: 'q', end: MIDNIGHT - 7_200 },
      { ...closed, id: 'r', end: MIDNIGHT - 3_600 },
    ],
    votes: [
      { id: 'v', proposal: 'p', voter: VOTER.address, created: START + 5, vp_state: 'final' },
      { id: 'w', proposal: 'p', voter: STARKNET, created: START + 6, vp_state: 'final' },
    ],
  });
  const goTo = (days: number) => {
    // Whole blocks of each chain, whatever the hour.
    const seconds = Math.floor((days * DAY) / 60) * 60;
    evm.head = seconds / 12;
    sol.chain.head = seconds / 0.4;
    algo.chain.round = seconds / 3;
    hub.data.now = START + seconds;
  };
  goTo(FIRST_DAYS);
  /** One node of each chain answers no more, or does again. */
  const setDown = (isDown: boolean) => {
    const [one] = nodes;
    if (one !== undefined) one.does = isDown ? { instead: (res) => !!res.destroy() } : {};
    for (const node of [sol, algo, hub]) node.instead = () => (isDown ? 'reset' : undefined);
  };
  return {
    goTo,
    setDown,
    env: {
      ...{ NODE_ONE: String(nodes[0]?.url), NODE_TWO: String(nodes[1]?.url) },
      ...{ SOL_URL: sol.url.href, ALGO_URL: algo.url.href, HUB_URL: hub.url.href },
    },
  };
}

/** A member with a linked wallet each; one who minted gets a role, and one who is above a score. */
async function fillCommunity(discord: DiscordStandIn, databaseUrl: string) {
  const { guild } = discord;
  const roles = { minter: guild.addRole('Minters').id, high: guild.addRole('High').id };
  const members = WALLETS.map(({ chain }) => guild.addMember(chain));
  const store = await openStore(databaseUrl, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  for (const [i, wallet] of WALLETS.entries()) {
    const account = { platform: 'discord', id: members[i]?.id ?? '' } as const;
    const by = { by: 'key', network: 'eip155:1', evidence: undefined, text: '' } as const;
    const proof = { wallet, ...by };
    const link = { account, wallet, proof, linkedAt: 1, checkedAt: 1, strikes: 0 };
    await store.links.change(wallet, account, () => ({ link, events: [] }));
  }
  const community = { platform: 'discord', id: GUILD } as const;
  const own = { community, createdBy: `discord:${guild.owner.id}`, createdAt: 1 };
  const badge = { kind: 'badge', badge: 'genesis' } as const;
  await store.gating.putRule(
    ruleOf('aaaa', { ...own, grant: roles.minter, requirements: [badge] }),
  );
  const score = { kind: 'score', least: 140 } as const;
  await store.gating.putRule(ruleOf('bbbb', { ...own, grant: roles.high, requirements: [score] }));
  await store.gating.noteMembers(
    community,
    members.map(({ id }) => id),
  );
  await store.close();
  const has = (role: string) =>
    WALLETS.flatMap(({ address }, i) =>
      guild.people.rolesOf(members[i]?.id ?? '').includes(role) ? [address] : [],
    );
  return { minters: () => has(roles.minter), high: () => has(roles.high) };
}

const byBytes = (one: string, other: string) => (one < other ? -1 : 1);
async function leaderboardOf({ url }: ServedHere) {
  const response = await fetch(`${url}/v1/leaderboard?limit=100`);
  return ((await response.json()) as LeaderboardPage).leaderboard;
}

const scoresIn = (leaderboard: LeaderboardPage['leaderboard']) =>
  new Map(leaderboard.map(({ address, score }) => [address, score]));

/** What everybody is shown, held against each other. @returns the scores, and the digest of all */
async function figures(service: ServedHere) {
  const v1 = async <T>(path: string) =>
    (await (await fetch(`${service.url}/v1${path}`)).json()) as T;
  const leaderboard = await leaderboardOf(service);
  for (const { address, score } of leaderboard) {
    const { activities } = await v1<ActivityList>(`/activity/${address}?limit=100`);
    const breakdown = await v1<Breakdown>(`/breakdown/${address}`);
    const { score: shown } = await v1<{ score: number }>(`/reputation/${address}`);
    const sums = {
      rows: activities.reduce((sum, { points }) => sum + points, 0),
      rules: breakdown.rules.reduce((sum, { points }) => sum + points, 0),
    };
    expect({ address, shown, of: breakdown.score, ...sums }).toEqual({
      ...{ address, shown: score, of: score, rows: score, rules: score },
    });
  }
  const lines = leaderboard.map(({ address, score }) => `${address} ${score}\n`).sort(byBytes);
  const digest = createHash('sha256').update(lines.join('')).digest('hex');
  const provenance = await v1<{ rules: { version: number }; digest: string }>('/provenance');
  expect(provenance.digest).toBe(digest);
  return { scores: scoresIn(leaderboard), digest, version: provenance.rules.version };
}

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.remove());

// Under a moved clock, one of them.
describe.each(byDayOne(['SQLite', 'Postgres']))('over every kind of source, on %s', (database) => {
  it('all figures agree, through a failure and a change of rules', async () => {
    const folder = temporaryFolder();
    const databaseUrl =
      database === 'SQLite' ? `sqlite:${join(folder, 'f.db')}` : await cluster.createDatabase();
    const write = (version: number, check: number) =>
      writeFileSync(join(folder, 'rules.yaml'), rulesFile(version, check));
    write(1, 1);
    const chains = await openChains();
    const discord = new DiscordStandIn();
    await discord.open();
    onTestFinished(() => discord.close());
    const roles = await fillCommunity(discord, databaseUrl);
    const env = { DATABASE_URL: databaseUrl, ...chains.env };
    const command = async (...args: string[]) => {
      const result = await runHere(args, env, folder);
      expect(result).toMatchObject({ code: 0 });
      return result.stdout;
    };

    const service = await serveHere({
      ...{ ...env, RULES: join(folder, 'rules.yaml'), RATE_LIMIT_PUBLIC: '100000' },
      ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl },
    });
    onTestFinished(() => service.stop());
    const shown = async (scores: ReadonlyMap<string, number>) => {
      // The chains take most of the time, during which all the other figures needn't be asked for.
      await untilPasses(async () => expect(scoresIn(await leaderboardOf(service))).toEqual(scores));
      await untilPasses(async () => expect((await figures(service)).scores).toEqual(scores));
    };
    await shown(scoresAfter(FIRST_DAYS));

    chains.setDown(true);
    chains.goTo(LATER_DAYS);
    for (const id of ['eth', 'sol', 'algo', 'snap']) {
      await untilPasses(() => expect(service.output()).toContain(`Can't read ${id} now`));
    }
    chains.setDown(false);
    await shown(scoresAfter(LATER_DAYS));

    const v1 = async <T>(path: string) =>
      (await (await fetch(`${service.url}/v1${path}`)).json()) as T;
    const badgesOf = async ({ address }: Wallet) => {
      const { badges } = await v1<BadgeList>(`/badges/${address}`);
      return badges.map(({ id }) => id);
    };
    expect(await Promise.all(WALLETS.map(badgesOf))).toEqual([['steward'], ['genesis'], [], []]);
    const told = async (name: string, { address }: Wallet) => {
      const { seen } = await answered(() => discord.command(name, { wallet: address }));
      return JSON.stringify(seen.at(-1)?.body);
    };
    // Those who hold have newer days of holding, which no transaction gave.
    expect(await told('why', MINTER)).toContain('https://etherscan.io/tx/0x');
    expect(await told('why', SIGNER)).toContain('https://explorer.solana.com/tx/');
    const ofVoter = await told('activity', VOTER);
    expect(ofVoter).toContain('https://etherscan.io/tx/0x');
    expect(ofVoter).toContain('https://snapshot.org/#/s:reef.eth/proposal/p');
    expect(await told('activity', HOLDER)).toContain('https://allo.info/tx/');

    const byOwner = { by: discord.guild.owner, place: 'server', may: MAY.manageGuild } as const;
    discord.command('gate run', {}, byOwner);
    await untilPasses(() => expect(roles.minters()).toEqual([MINTER.address]));
    await untilPasses(() => expect(roles.high()).toEqual([VOTER.address]));

    const sources = await command('sources');
    expect(sources).toMatch(/^snap .*\n {2}Events left out, .*: 1\n/m);
    expect(sources.match(/^ {2}Events left out/gm)).toHaveLength(1);

    write(2, 100);
    expect(await command('rules', 'rehearse', 'rules.yaml')).toContain(SIGNER.address);
    expect((await figures(service)).version).toBe(1);
    await command('rules', 'apply', 'rules.yaml', '--yes');
    await shown(scoresAfter(LATER_DAYS, 100));
    const { digest, version } = await figures(service);
    expect(version).toBe(2);

    expect(await command('evidence', 'export', 'all.ndjson.gz')).toContain(`digest ${digest}\n`);
    const elsewhere = temporaryFolder();
    copyFileSync(join(folder, 'all.ndjson.gz'), join(elsewhere, 'all.ndjson.gz'));
    const verify = ['evidence', 'verify', 'all.ndjson.gz'];
    const verified = await runHere(verify, {}, elsewhere);
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining(digest) });
    const compared = await runHere([...verify, '--against-chain', '100%'], chains.env, elsewhere);
    expect(compared).toMatchObject({ code: 0 });
    expect(compared.stdout.match(/ heights read again/g)).toHaveLength(4);
    await service.stop();
    for (const secret of [NODE_SECRET, 'kEyInPaTh']) expect(service.output()).not.toContain(secret);
    expect(discord.faults).toEqual([]);
  });
});
