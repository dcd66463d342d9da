import { hash } from 'node:crypto';
import { wallSeconds } from '#base/time/clock';
import type { Account } from '#command/account';
import type { Mark } from '#gating/announce/mark';
import { retractionEvidence } from '#import/retraction';
import type { StoredProof } from '#linking/proving/proof';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import type { Wallet } from '#wallet/wallet';
import type { WebhookEvent } from '#webhooks/webhook';
import { openApi } from './api.ts';
import { openMemoryStore } from './empty-store.ts';
import {
  auditRow,
  changeOf,
  ELSEWHERE,
  grantOf,
  HOME,
  NOW,
  OTHER,
  ruleOf,
  runOf,
} from './gate-records.ts';
import {
  ALGO_A,
  ALL_WALLETS,
  activityOf,
  badgeNamed,
  batchOf,
  ETH_A,
  ETH_B,
  eventOf,
  SOL_A,
  SOL_B,
  writeTo,
} from './ledger.ts';
import { silentLog } from './log.ts';
import { rulesText, ScoredStore, TODAY } from './scoring.ts';

/** Text that stores, their formats and their drivers may stumble over. */
const HOSTILE = `\\N \\. \\\\ \\x00 "x" 'y' $1 {} \t \n \r \u2028 \u202e 🐳 e\u0301 \ufffd \x7f`;

const ALICE: Account = { platform: 'discord', id: '1' };
const BOB: Account = { platform: 'discord', id: '2' };
const CAROL: Account = { platform: 'telegram', id: '1' };
const HASHES = ['ab', 'cd', 'ef'].map((pair) => pair.repeat(32));

export async function openQuietly(url: string): Promise<Store> {
  if (url === 'sqlite::memory:') return openMemoryStore();
  return openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
}

/** Creates a store with rows in every table. */
export async function fillStore(url: string): Promise<void> {
  const store = await openQuietly(url);
  try {
    await fillLedger(store);
    await fillKeys(store);
    await fillLinks(store);
    await fillGating(store);
    await fillCardStyles(store);
    await fillConnections(store);
    await fillScoring(store);
    await fillChanges(store);
    await fillWebhooks(store);
  } finally {
    await store.close();
  }
}

async function fillLedger(store: Store): Promise<void> {
  await writeTo(
    store,
    batchOf({
      badges: [badgeNamed('first', { name: HOSTILE, tier: 'Legendary' }), badgeNamed('unearned')],
      names: [{ wallet: ETH_A, displayName: HOSTILE }],
      activities: [
        activityOf(ETH_A, 'a', { description: HOSTILE, badge: 'first', points: 8_345 }),
        activityOf(ETH_B, 'a', { description: '', points: -1_000_000_000 }),
        activityOf(SOL_A, 'b', { points: 1_000_000_000, timestamp: 0 }),
        activityOf(SOL_B, 'c', { points: 0, badge: 'first' }),
      ],
      events: [
        eventOf(ETH_A, HOSTILE, { args: JSON.stringify({ [HOSTILE]: HOSTILE }) }),
        eventOf(ALGO_A, 'e2', { event: 'other' }),
      ],
    }),
  );
  // Enough for the list of wallets with many activities, and a second batch.
  const many = Array.from({ length: 700 }, (_, i) =>
    activityOf(ALGO_A, `m${i}`, { points: i % 7, timestamp: 1_700_000_000 + (i % 90) }),
  );
  await writeTo(store, batchOf({ activities: many, badges: [badgeNamed('unearned')] }));
  const { id: corrects, ...content } = activityOf(SOL_B, 'c', { points: 77, badge: 'unearned' });
  const writer = store.openWriter();
  await writer.stageCorrections([{ ...content, corrects, id: 'x'.repeat(16), reason: HOSTILE }]);
  await writer.commit();
}

async function fillScoring(store: Store): Promise<void> {
  const scored = new ScoredStore(store, TODAY);
  const rule =
    '{id: e, on: {import: workshop_attended}, give: {type: seen, points: 9, half_life: 30d, badge: there}}';
  const badge =
    '{id: there, name: There, description: x, tier: Rare, imageUrl: "https://example.org/t.png", soulbound: true}';
  const list = 'discounts:\n  - {id: known, list: ./known.csv, factor: 500}\n';
  const lists = { './known.csv': ALGO_A.address };
  await scored.apply(rulesText([rule], { more: `badges:\n  - ${badge}\n${list}` }), lists);
  // Enough for daily sums.
  const many = Array.from({ length: 510 }, (_, i) =>
    eventOf(SOL_A, `m${i}`, { timestamp: 1_650_000_000 + i * 3_600 }),
  );
  const late = eventOf(ETH_A, 'late', { timestamp: 1_600_000_000 });
  const taken = { ...late, kind: 'retraction', reason: HOSTILE, timestamp: 1_600_000_100 } as const;
  const sha256Hex = (text: string) => hash('sha256', text);
  await scored.add(late, retractionEvidence(taken, sha256Hex), ...many);
  await scored.follow();
  const from = { height: 10, hash: '0xab', time: 1_700_000_000 };
  const to = { height: 12, hash: null, time: 1_700_000_024 };
  await store.evidence.begin({ id: 'eth', chain: 'eip155:1' }, [{ name: HOSTILE, position: from }]);
  await store.evidence.append({
    ...{ source: 'eth', inputs: [HOSTILE], from, to, leftOut: [3] },
    events: [
      {
        ...{ input: 0, wallet: ETH_B, height: 11, place: 'a0', time: 1_700_000_012 },
        ...{ args: JSON.stringify({ [HOSTILE]: HOSTILE }), transaction: HOSTILE },
      },
    ],
  });
  await store.evidence.setVerdict('eth', HOSTILE, HOSTILE);
  // An event that wasn't scored yet.
  await scored.add(eventOf(SOL_B, 'waiting'));
}

/** Some entries of the feed are kept, others were pruned. */
async function fillChanges(store: Store): Promise<void> {
  while (await store.pruneChanges({ age: 1e9, count: 3 }, wallSeconds()));
}

async function fillWebhooks({ webhooks }: Store): Promise<void> {
  const id = 'wh_1';
  await webhooks.add({
    ...{ id, secret: 'whsec_one', createdAt: NOW, url: 'https://example.org/hook' },
    ...{ events: ['tier.changed'], chain: 'all', minTier: 'Shark' },
  });
  await webhooks.rotate(id, 'whsec_two', { at: NOW, until: NOW + 86_400, endsOlder: false });
  const { round = 0, cursor = '' } = (await webhooks.begin(id)) ?? {};
  const data: WebhookEvent['data'] = {
    ...{ cursor, address: HOSTILE, chain: ETH_A.chain, score: 9_000, tier: 'Titan' as const },
    ...{ previousScore: null, previousTier: null, badgesEarned: [HOSTILE], at: HOSTILE },
  };
  const event: WebhookEvent = { type: 'tier.changed', timestamp: HOSTILE, data };
  await webhooks.commit(id, round, {
    cursor,
    deliveries: [{ number: 1, id: 'msg_1', events: [event], failures: 2, failingSeconds: 9 }],
    events: [{ number: 2, event }],
    ...{ droppedDeliveries: [], droppedEvents: [] },
    attempts: [
      {
        ...{ at: NOW, delivery: 'msg_1', events: 1, isTaken: false },
        ...{ result: HOSTILE, milliseconds: 12 },
      },
    ],
  });
}

async function fillKeys({ keys }: Store): Promise<void> {
  const [first = '', second = '', third = ''] = HASHES;
  await keys.add({ label: HOSTILE, owner: 'cli', hash: first }, 9);
  const { id } = await keys.add({ label: 'b', owner: 'discord:1', hash: second }, 9);
  await keys.add({ label: '', owner: 'discord:1', hash: third }, 9);
  await keys.revoke(id);
}

function proofOf(wallet: Wallet): StoredProof {
  return { wallet, by: 'contract', network: 'eip155:1', evidence: '0xabc', text: HOSTILE };
}

async function fillLinks({ links }: Store): Promise<void> {
  const proof = proofOf(ETH_A);
  const link = { account: ALICE, wallet: ETH_A, proof, linkedAt: NOW, checkedAt: 5, strikes: 2 };
  const claim = { account: BOB, wallet: ETH_A, proof, claimedAt: NOW, dueAt: NOW + 9 };
  const event = { at: NOW, account: ALICE, event: 'linked', wallet: ETH_A } as const;
  await links.change(ETH_A, ALICE, () => ({ link, claim, events: [event] }));
  const hold = { wallet: SOL_A, keeper: CAROL, until: NOW + 5, isDelegated: true };
  const privacy = { ...event, event: 'privacy', wallet: undefined } as const;
  await links.change(SOL_A, CAROL, () => ({ hold, events: [privacy] }));
  const unheld = { wallet: SOL_B, keeper: undefined, until: NOW + 6, isDelegated: false };
  await links.change(SOL_B, CAROL, () => ({ hold: unheld, events: [] }));
  await links.setChoice(ALICE, { privacy: 'community', communities: ['10', HOSTILE] }, NOW);
  await links.putRequest({
    id: 'ab'.repeat(16),
    version: 3,
    account: { ...BOB, name: HOSTILE, username: HOSTILE, avatar: HOSTILE },
    way: 'page',
    createdAt: NOW,
    expiresAt: NOW + 600,
    ticket: HASHES[0],
    session: undefined,
    challengesLeft: 6,
    challenge: undefined,
    proved: undefined,
  });
}

async function fillGating({ gating }: Store): Promise<void> {
  await gating.putRule(ruleOf('aaaa', { grantName: HOSTILE, isHidden: true }));
  await gating.putRule(ruleOf('bbbb', { chain: 'algorand', exclusive: true, community: OTHER }));
  await gating.putRule(ruleOf('aaaa', { community: ELSEWHERE }));
  await gating.putSettings(HOME, {
    logChannel: '77',
    memory: { totalUsers: 120 },
    isLadder: true,
    walletMode: 'sum',
  });
  await gating.putSettings(OTHER, { logChannel: '78', language: 'es', auditCursor: '900' });
  await gating.putSettings(OTHER, {
    announce: { channel: '79', from: 'Whale', badges: 'Epic' },
    announced: { lastAt: NOW },
    look: { epoch: HOSTILE, edition: '3', sureAt: NOW, lookedAt: NOW },
    panel: { id: 'aaaabbbb', channel: '80' },
    panelPost: { id: 'aaaabbbb', channel: '80', message: '81', says: HOSTILE },
    digest: { done: [20_423] },
  });
  await gating.noteMembers(HOME, ['1', '2', '10']);
  const mark: Mark = {
    ...{ account: '1', basis: HOSTILE, epoch: HOSTILE, tier: 'Shark', badges: [HOSTILE] },
    ...{ had: { Titan: NOW }, rise: { at: NOW, tier: 'Whale', badges: [] }, post: undefined },
    told: { tier: 'Whale', at: NOW },
  };
  await gating.putMarks(HOME, [mark], []);
  await gating.protect(HOME, '2', true);
  await gating.noteLocale(HOME, '2', 'es');
  await gating.keepJoinRequest(ELSEWHERE, { account: '5', locale: 'es', askedAt: NOW }, 9);
  await gating.keepJoinRequest(ELSEWHERE, { account: '6', locale: undefined, askedAt: NOW }, 9);
  await gating.noteUsername(ELSEWHERE, '5', 'alice_5', NOW);
  await gating.putGrants(HOME, [
    grantOf('aaaa', '1', { lacks: 2, firstLackAt: 1, lastLackAt: 2, warnedAt: 3, dueAt: 4 }),
    grantOf('aaaa', '2'),
  ]);
  const bar = { grant: 'all', at: NOW, by: 'discord:9', isGone: true };
  await gating.putBars(HOME, [
    { bar: { ...bar, account: '7' }, row: auditRow('barred', { account: '7', by: bar.by }) },
    { bar: { ...bar, account: '8', by: undefined, isGone: false }, row: auditRow('barred') },
  ]);
  await gating.putRefusal(HOME, { account: '7', grant: '55', code: 'refused 50035', at: NOW });
  await gating.beginRun(runOf('run00001', { by: 'discord:9' }));
  await gating.beginRun(runOf('run00002', { community: OTHER, finishedAt: undefined }));
  await gating.planChanges([changeOf(1, { reason: HOSTILE }), changeOf(2, { status: 'done' })]);
  await gating.audit([
    auditRow('given', { run: 'run00001', rule: 'aaaa', account: '1', detail: HOSTILE }),
    auditRow('taken', { account: '2', by: 'discord:9' }),
    auditRow('given', { community: OTHER }),
  ]);
  const before = { ...ELSEWHERE, id: 'a group before it grew' };
  await gating.audit([auditRow('protected', { community: before, account: '5' })]);
  await gating.moveCommunity(before, ELSEWHERE);
}

async function fillCardStyles({ cardStyles }: Store): Promise<void> {
  const png = Uint8Array.of(137, 80, 0, 255);
  await cardStyles.putStyle(HOME, { accent: 0x1790ed, banner: { png, digest: 'b'.repeat(22) } });
  await cardStyles.putStyle(OTHER, { accent: 0 });
}

async function fillConnections({ connections, links }: Store): Promise<void> {
  await connections.connect(
    '1',
    Uint8Array.from({ length: 256 }, (_, i) => i),
    NOW,
  );
  await connections.connect('2', new Uint8Array(0), NOW);
  await connections.connect('3', Uint8Array.of(0, 255), NOW);
  await links.erase({ platform: 'discord', id: '3' }, NOW + 9);
  await connections.note('1', {
    shown: {
      figures: { score: 7_420, tier: 4, rank: 2, badges: 0, linkedAt: NOW - 9 },
      name: HOSTILE,
      wallets: [ETH_A.address],
    },
    isAccepted: true,
    fall: undefined,
    checkedAt: NOW + 5,
  });
}

const PATHS = [
  ...ALL_WALLETS.flatMap(({ address }) => [
    `/v1/reputation/${address}`,
    `/v1/badges/${address}`,
    `/v1/activity/${address}?limit=200`,
  ]),
  ...['all', 'eth', 'sol', 'algo'].map((chain) => `/v1/leaderboard?chain=${chain}`),
  '/v1/stats/global',
  '/v1/changes?after=0&limit=1000',
];

/** Depends on the request, not on the answer. */
const REQUEST_ID = /"requestId":"[^"]+"/;

/** Everything that a store serves, as text: API responses by path, and private data. */
export async function answersOf(url: string): Promise<Record<string, string>> {
  const store = await openQuietly(url);
  const source = await store.openSource();
  const api = await openApi({ source });
  try {
    const answers: Record<string, string> = {};
    for (const path of PATHS) {
      const response = await api.get(path);
      const body = (await response.text()).replace(REQUEST_ID, '');
      answers[path] = `${response.status} ${source.reading().asOf} ${body}`;
    }
    return { ...answers, private: JSON.stringify(await privateOf(store)) };
  } finally {
    await api.close();
    await store.close();
  }
}

async function privateOf({
  keys,
  links,
  gating,
  cardStyles,
  connections,
  webhooks,
}: Store): Promise<unknown> {
  const accounts = [ALICE, BOB, CAROL];
  const communities = [HOME, OTHER, ELSEWHERE];
  const each = <T, R>(list: readonly T[], ask: (item: T) => R | Promise<R>) =>
    Promise.all(list.map(async (item) => await ask(item)));
  return [
    await keys.list(),
    await each(HASHES, (hash) => keys.findByHash(hash)),
    await each(accounts, (account) => links.recordOf(account)),
    await links.findRequest({ ticket: HASHES[0] ?? '' }, NOW),
    await links.dueClaims(NOW + 10, 10),
    await each(communities, (community) => gating.rulesOf(community)),
    await each(communities, (community) => gating.settingsOf(community)),
    await each(communities, (community) => gating.membersAfter(community, '', 10)),
    await each(communities, (community) => gating.marksOf(community, ['1', '2'])),
    await each(communities, (community) => gating.grantsOf(community, ['1', '2'])),
    await each(communities, (community) => gating.applicantsAfter(community, '', 10)),
    await each(communities, (community) => gating.barsIn(community, 10)),
    await each(communities, (community) => gating.refusalsOf(community, ['7', '8'])),
    await gating.joinRequestOf(ELSEWHERE, '5'),
    await gating.localeOf(HOME, '2'),
    await gating.accountNamed(ELSEWHERE, 'Alice_5'),
    await each(communities, (community) => cardStyles.styleOf(community)),
    await each(communities, (community) => cardStyles.bannerOf(community)),
    await each(communities, (community) => gating.runsOf(community, 10)),
    await each(communities, (community) => gating.auditOf(community, undefined, 10, 0)),
    await gating.changesOf('run00001', undefined, 0, 10),
    await each(['1', '2'], (account) => connections.find(account)),
    await webhooks.list(),
    await each(await webhooks.list(), ({ id }) => webhooks.attempts(id)),
  ];
}
