import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { textsFor } from '#command/texts/index';
import type { Breakdown } from '#reputation/api-records';
import { DiscordStandIn } from '../bench/servers/discord/stand-in.ts';
import { TelegramStandIn } from '../bench/servers/telegram/stand-in.ts';
import { lastMidnight } from './support/chain-times.ts';
import { answered } from './support/discord/answered.ts';
import { textOf } from './support/discord/read.ts';
import { type Workplace, workplace } from './support/import-cli.ts';
import { patienceMs } from './support/patience.ts';
import { type ServedHere, serveHere } from './support/serve-here.ts';
import { openIndexer } from './support/sources/algorand-chain.ts';
import {
  AlgorandLedger,
  accountOf,
  appCall,
  assetTransfer,
  keyOf,
  methodArgs,
} from './support/sources/algorand-world.ts';
import { openHub } from './support/sources/snapshot-hub.ts';
import { keyNamed, openSolanaNode } from './support/sources/solana-chain.ts';

/*
 * Templates for what isn't an EVM chain: rules as their commands write them, over the chains' protocols, against
 * what anybody would count by hand.
 */

const DAY = 86_400;
const DAYS = 5;
const START = lastMidnight() - DAYS * DAY;
/** Of days 0 to 4 of the chains, the first isn't full, and the last isn't over. */
const HEAD = DAYS * DAY - 600;
const FULL_DAYS = [1, 2, 3];

const PROGRAM = keyNamed('program');
const SIGNER = keyNamed('signer');
const BUSY = keyNamed('busy');
const XGOV = 3147789458;
const VOTE = 'vote_proposal(uint64,address,uint64,uint64)void';
const ASA = 31566704;
const [CREATOR, VOTER, HOLDER, SELLER, SHORT] = [1, 2, 4, 5, 6].map(accountOf) as [
  string,
  string,
  string,
  string,
  string,
];
const GUEST = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const REGULAR = '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb';
const SNAPSHOT_VOTER = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

/** Instructions of the program by who signed: two that count and one of another kind; and more than the cap. */
const INSTRUCTIONS = [
  ...['07', '0701', '08'].map((data) => ({ signer: SIGNER, data })),
  ...Array.from({ length: 33 }, () => ({ signer: BUSY, data: '07' })),
];
/** Who voted on which proposal: one twice, which counts once, and one on more than the cap. */
const XGOV_VOTES: readonly (readonly [voter: number, proposal: number])[] = [
  ...([7, 7, 8] as const).map((proposal) => [2, proposal] as const),
  ...Array.from({ length: 12 }, (_, proposal) => [3, proposal] as const),
];
/** Moves of an asset with six decimals, in its base units. */
const MOVES: readonly (readonly [day: number, from: string, to: string, amount: number])[] = [
  [0, CREATOR, HOLDER, 2_500_000],
  [0, CREATOR, SELLER, 3_000_000],
  [2, SELLER, HOLDER, 1_000_000],
  [0, CREATOR, SHORT, 2_499_999],
];
const SUPPLY = 10_000_000;
const LEAST = 2_500_000;
/** Times of check-ins at workshops, by guest: once, and more often than the cap. */
const GUESTS = new Map([
  [GUEST, 1],
  [REGULAR, 11],
]);

/** What each wallet gets by each rule, counted without any of the program. */
function byHand(): Map<string, Record<string, number>> {
  const points = new Map<string, Record<string, number>>();
  const give = (wallet: string, rule: string, each: number, most: number) => {
    const own = points.get(wallet) ?? {};
    own[rule] = Math.min(most, (own[rule] ?? 0) + each);
    points.set(wallet, own);
  };
  for (const { signer, data } of INSTRUCTIONS) {
    if (data.startsWith('07')) give(signer, 'solana-program', 1, 30);
  }
  for (const vote of new Set(XGOV_VOTES.map((each) => each.join()))) {
    give(accountOf(Number(vote.split(',')[0])), 'algorand-xgov', 50, 500);
  }
  const balanceOn = (wallet: string, day: number) =>
    MOVES.filter(([on]) => on <= day).reduce(
      (sum, [, from, to, amount]) => sum + (to === wallet ? amount : from === wallet ? -amount : 0),
      wallet === CREATOR ? SUPPLY : 0,
    );
  for (const wallet of [CREATOR, HOLDER, SELLER, SHORT]) {
    for (const day of FULL_DAYS) {
      // A move is in the middle of its day, so both ends of a day matter.
      const least = Math.min(balanceOn(wallet, day - 1), balanceOn(wallet, day));
      if (least >= LEAST) give(wallet, 'asa-holder', 3, 90);
    }
  }
  // Of one vote on a closed proposal of the space; the other proposal is open, and the third is of another space.
  give(SNAPSHOT_VOTER, 'snapshot', 20, 200);
  for (const [guest, times] of GUESTS) {
    for (let time = 0; time < times; time++) give(guest, 'event-guests', 25, 250);
  }
  return points;
}

async function openChains() {
  const sol = await openSolanaNode({
    genesisTime: START,
    transactions: INSTRUCTIONS.map(({ signer, data }, i) => ({
      ...{ slot: 10 + i, signer, instructions: [{ program: PROGRAM, data }] },
    })),
  });
  sol.chain.head = HEAD / 0.4;

  const ledger = new AlgorandLedger(START);
  const config = { params: { total: BigInt(SUPPLY) } };
  const make = { sender: CREATOR, 'tx-type': 'acfg', 'asset-config-transaction': config };
  ledger.send(1, { ...make, 'created-asset-index': ASA });
  const moves = MOVES.toSorted(([one], [other]) => one - other);
  for (const [i, [day, from, to, amount]] of moves.entries()) {
    const round = (day * DAY + DAY / 2) / 3 + i;
    ledger.send(round, assetTransfer(ASA, to, { receiver: to, amount: 0 }));
    ledger.send(round, assetTransfer(ASA, from, { receiver: to, amount }));
  }
  for (const [voter, proposal] of XGOV_VOTES) {
    const args = methodArgs(VOTE, [
      { type: 'uint64', value: BigInt(proposal) },
      { type: 'address', value: keyOf(voter) },
      { type: 'uint64', value: 1n },
      { type: 'uint64', value: 0n },
    ]);
    // Its delegate sends it, and the vote is the xGov's all the same.
    ledger.send(100, appCall(XGOV, accountOf(9), { args }));
  }
  const algo = await openIndexer({ genesisTime: START, transactions: ledger.transactions });
  algo.chain.round = HEAD / 3;

  const vote = { voter: SNAPSHOT_VOTER, created: START + 5, vp_state: 'final' };
  const hub = await openHub({
    proposals: [
      { id: 'p', space: 'reef.eth', end: START + 100, scores_state: 'final' },
      { id: 'open', space: 'reef.eth', end: START + HEAD + DAY, scores_state: 'pending' },
      { id: 'q', space: 'other.eth', end: START + 100, scores_state: 'final' },
    ],
    votes: ['p', 'open', 'q'].map((proposal) => ({ id: `v${proposal}`, proposal, ...vote })),
  });
  hub.data.now = START + HEAD;
  return {
    ...{ SOL_URL: sol.url.href, ALGORAND_INDEXER_URL: algo.url.href },
    SNAPSHOT_HUB_URL: hub.url.href,
  };
}

/** The guests as a spreadsheet would have them. */
function guestList(): string {
  const rows = [...GUESTS].flatMap(([guest, times]) =>
    Array.from({ length: times }, (_, i) => {
      const at = new Date((START + i * 60) * 1000).toISOString().slice(0, 19);
      return `Somebody;${guest};${at.replace('T', ' ')}`;
    }),
  );
  return ['Name;Wallet;Checked in', ...rows].join('\r\n');
}

/** Under another name than the node that Solana's names are asked of. */
const BEGUN = `fathom: 1
name: reef
version: 1
sources:
  sol: {chain: solana, rpc: [SOL_URL]}
rules:
`;

async function addTemplates(place: Workplace): Promise<void> {
  for (const words of [
    `solana-program --program ${PROGRAM} --prefix 0x07 --since 1`,
    'algorand-xgov --since 1',
    `asa-holder --asset ${ASA} --min 2.5 --decimals 6 --since 1`,
    'snapshot --space reef.eth',
    'event-guests --event workshop_attended',
  ]) {
    const done = await place.runHere(['rules', 'add', ...words.split(' ')]);
    expect(done, done.stderr).toMatchObject({ code: 0 });
  }
  const guests = ['--event', 'workshop_attended', '--time-zone', 'UTC', '--yes'];
  const imported = await place.runHere(['import', 'guests.csv', ...guests]);
  expect(imported, imported.stderr).toMatchObject({ code: 0 });
}

/** What members read about a wallet's rules in both chats, on its page and in the breakdown, without tags. */
async function read(service: ServedHere, discord: DiscordStandIn, telegram: TelegramStandIn) {
  const [about, sent] = [SHOWN.map(([wallet]) => wallet), { count: 0 }];
  const texts = new Map<string, string[]>();
  for (const wallet of about) {
    const { seen } = await answered(() => discord.command('why', { wallet }));
    telegram.says(telegram.world.person({ language: 'es' }), `/why ${wallet}`);
    sent.count += 1;
    const { text } = await telegram.nth('sendMessage', sent.count);
    const page = await (await fetch(`${service.url}/wallet/${wallet}?lang=es`)).text();
    const [rules = ''] = /<table class="shares">.*?<\/table>/s.exec(page) ?? [];
    const plain = rules.replaceAll(/<[^>]*>/g, ' ');
    texts.set(wallet, [textOf(seen[0]), String(text), plain]);
  }
  return texts;
}

/** Wallets with what members read of their rule, in English and Spanish. */
const SHOWN: readonly (readonly [wallet: string, en: string, es: string])[] = [
  [BUSY, 'Use of the program', 'Uso del programa'],
  [VOTER, 'xGov votes', 'Votos de xGov'],
  [HOLDER, 'Days holding the asset', 'Días con el activo'],
  [SNAPSHOT_VOTER, 'Votes on Snapshot', 'Votos en Snapshot'],
  [REGULAR, 'Events attended', 'Eventos a los que asistió'],
];

it('Templates for Solana, Algorand, Snapshot and imports score what happened right to the point, in plain words', async () => {
  const place = workplace({ 'guests.csv': guestList(), 'rules.yaml': BEGUN });
  await addTemplates(place);
  const [discord, telegram] = [new DiscordStandIn(), await TelegramStandIn.open()];
  await discord.open();
  onTestFinished(async () => void (await Promise.all([discord.close(), telegram.close()])));
  const service = await serveHere({
    ...place.env,
    ...(await openChains()),
    ...{ RULES: join(place.cwd, 'rules.yaml'), RATE_LIMIT_PUBLIC: '100000' },
    ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl },
    ...{ TELEGRAM_TOKEN: telegram.token, TELEGRAM_API_URL: telegram.apiUrl },
  });
  onTestFinished(() => service.stop());
  const expected = byHand();
  const pointsOf = async (address: string) => {
    const response = await fetch(`${service.url}/v1/breakdown/${address}`);
    const { rules = [] } = (await response.json()) as Partial<Breakdown>;
    return Object.fromEntries(rules.map(({ id, points }) => [id, points]));
  };
  const all = [...expected.keys(), SHORT];
  await vi.waitFor(
    async () => {
      const points = await Promise.all(all.map(async (each) => [each, await pointsOf(each)]));
      expect(Object.fromEntries(points)).toEqual(
        Object.fromEntries(all.map((each) => [each, expected.get(each) ?? {}])),
      );
    },
    { timeout: patienceMs(100_000), interval: 300 },
  );

  const texts = await read(service, discord, telegram);
  for (const [wallet, en, es] of SHOWN) {
    const [inDiscord = '', inTelegram = '', onPage = ''] = texts.get(wallet) ?? [];
    expect(inDiscord).toContain(en);
    expect(inTelegram).toContain(es);
    expect(onPage).toContain(es);
    for (const text of [inDiscord, inTelegram, onPage]) {
      expect(text).not.toMatch(/vote_proposal|“|«|\d{19}|credited|workshop_attended/);
    }
  }
  const { rules: words } = textsFor('en');
  expect(texts.get(HOLDER)?.[0]).toContain(
    `${words.members.eachDay('3 points')}, ${words.members.atLeast('2.5')}`,
  );
});
