import { StatementSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import type { MaybePromise } from '#base/maybe-promise';
import type { LedgerBatch, LedgerWriter } from '#import/ledger-writer';
import type { LedgerActivity, LedgerCorrection } from '#reputation/activity';
import type { Reading, ReputationSource } from '#reputation/reputation-source';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import { CHAINS, type Chain, type Wallet } from '#wallet/wallet';
import { addressOf } from '../support/import-lines.ts';
import { activityOf, badgeNamed, batchOf, correctionOf } from '../support/ledger.ts';
import { answersOf, LedgerModel } from '../support/ledger-model.ts';
import { silentLog } from '../support/log.ts';
import { EFFORT } from '../support/random.ts';
import { refreshed } from '../support/refreshed.ts';
import { STORE_KINDS, type StoreKind, storePlaces } from '../support/store-places.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

/**
 * Several writers and a follower. Commits land right before each of the follower's queries, so that no order
 * is left to chance.
 */

const places = storePlaces();
const WRITERS = 3;
const WALLETS = Array.from({ length: 16 }, (_, i): Wallet => {
  const chain = CHAINS[i % 3] as Chain;
  return { chain, address: addressOf(chain, i) };
});
const BADGES = ['b0', 'b1', 'b2', 'b3'];

/** Runs before the follower's next query. On SQLite everything happens synchronously. */
type BeforeQuestion = () => MaybePromise<void> | undefined;

interface Cast {
  readonly url: string;
  readonly follower: Store;
  readonly writers: readonly LedgerWriter[];
  /** Call it once; nothing happens until then. */
  begin(before: BeforeQuestion): void;
  close(): Promise<void>;
}

afterEach(() => vi.restoreAllMocks());

function open(url: string): Promise<Store> {
  return openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
}

async function cast(kind: StoreKind): Promise<Cast> {
  const url = await places.newStore(kind);
  const others = await open(url);
  const writers = Array.from({ length: WRITERS }, () => others.openWriter());
  if (kind === 'postgres') {
    const proxy = await startTcpProxy(places.cluster.port);
    const behind = new URL(url);
    behind.port = String(proxy.port);
    const follower = await open(behind.href);
    return {
      url,
      follower,
      writers,
      begin: (before) => proxy.onSend(async () => before()),
      async close() {
        await Promise.all([follower.close(), others.close()]);
        await proxy.close();
      },
    };
  }
  const follower = await open(url);
  let before: BeforeQuestion | undefined;
  for (const name of ['get', 'all'] as const) {
    const ask = StatementSync.prototype[name] as (...values: unknown[]) => unknown;
    vi.spyOn(StatementSync.prototype, name).mockImplementation(function (
      this: StatementSync,
      ...values: unknown[]
    ) {
      void before?.();
      return ask.apply(this, values) as never;
    });
  }
  return {
    url,
    follower,
    writers,
    begin(next) {
      before = next;
    },
    async close() {
      vi.restoreAllMocks();
      await follower.close();
      await others.close();
    },
  };
}

const commit = fc.record({
  writer: fc.nat({ max: WRITERS - 1 }),
  badges: fc.array(fc.tuple(fc.constantFrom(...BADGES), fc.nat({ max: 99 })), { maxLength: 2 }),
  names: fc.array(fc.tuple(fc.constantFrom(...WALLETS), fc.nat({ max: 99 })), { maxLength: 2 }),
  activities: fc.array(
    fc.record({
      wallet: fc.constantFrom(...WALLETS),
      points: fc.integer({ min: -50, max: 100 }),
      badge: fc.option(fc.constantFrom(...BADGES), { nil: undefined }),
      timestamp: fc.integer({ min: 1_600_000_000, max: 1_600_000_009 }),
    }),
    { maxLength: 4 },
  ),
  corrections: fc.array(
    fc.record({
      /** Which of the activities so far. */
      of: fc.nat(),
      points: fc.integer({ min: -50, max: 100 }),
      badge: fc.option(fc.constantFrom(...BADGES), { nil: undefined }),
      timestamp: fc.integer({ min: 1_600_000_000, max: 1_600_000_009 }),
    }),
    { maxLength: 3 },
  ),
});
/** Commits, and how many of them land before each query of the follower. */
const play = fc.record({
  commits: fc.array(commit, { minLength: 1, maxLength: 12 }),
  before: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 30 }),
});
type Play = typeof play extends fc.Arbitrary<infer T> ? T : never;

/** Each commit adds a new wallet and a new badge, and one lands before each query. */
const ALL_NEW: Play = {
  commits: WALLETS.map((wallet, i) => ({
    writer: i % WRITERS,
    badges: [[BADGES[i % BADGES.length] as string, i]],
    names: [[wallet, i]],
    activities: [{ wallet, points: i, badge: BADGES[i % BADGES.length], timestamp: 1_600_000_000 }],
    corrections: [],
  })),
  before: [1],
};

/** One wallet, whose only badge gets another time with each commit. */
const ALL_CORRECTED: Play = {
  commits: Array.from({ length: 12 }, (_, i) => ({
    ...{ writer: i % WRITERS, badges: [], names: [] },
    activities:
      i === 0
        ? [{ wallet: WALLETS[0] as Wallet, points: 1, badge: 'b0', timestamp: 1_600_000_000 }]
        : [],
    corrections:
      i === 0 ? [] : [{ of: 0, points: 1, badge: 'b0', timestamp: 1_600_000_000 + ((i * 7) % 10) }],
  })),
  before: [1, 0, 2, 0],
};

function correctionsFrom(
  { corrections }: Play['commits'][number],
  place: number,
  model: LedgerModel,
): LedgerCorrection[] {
  const { activities } = model;
  if (activities.length === 0) return [];
  return corrections.map(({ of, badge, ...rest }, i) => {
    const { wallet, id } = activities[of % activities.length] as LedgerActivity;
    // Only badges that are defined by now.
    const known = badge !== undefined && model.knows(badge) ? badge : undefined;
    return correctionOf(`c${place}x${i}`, id, { wallet, badge: known, ...rest });
  });
}

/** Defines each badge that wasn't defined before. */
function batchFrom(
  { badges, names, activities }: Play['commits'][number],
  place: number,
  model: LedgerModel,
): LedgerBatch {
  const defined = new Map(badges);
  for (const { badge } of activities) {
    if (badge !== undefined && !model.knows(badge) && !defined.has(badge)) defined.set(badge, 0);
  }
  return batchOf({
    badges: [...defined].map(([id, text]) => badgeNamed(id, { name: `${id} ${text}` })),
    names: names.map(([wallet, text]) => ({ wallet, displayName: `name ${text}` })),
    activities: activities.map(({ wallet, ...rest }, i) =>
      activityOf(wallet, `k${place}a${i}`, rest),
    ),
  });
}

/** Records the answers for each revision, which must never change. */
class Witness {
  readonly #source: ReputationSource;
  readonly #seen = new Map<string, string>();

  constructor(source: ReputationSource) {
    this.#source = source;
  }

  /** The queries, one by one. */
  questions(): Step[] {
    const all: Step[] = [
      this.#ask('stats', (reading) => reading.stats()),
      this.#ask('board', (reading) => reading.leaderboard({ chain: 'all', limit: 99, offset: 0 })),
    ];
    for (const wallet of WALLETS) {
      const { address } = wallet;
      all.push(
        this.#ask(`reputation ${address}`, (reading) => reading.reputation(wallet)),
        this.#ask(`badges ${address}`, (reading) => reading.badges(wallet)),
        this.#ask(`activity ${address}`, (reading) => reading.activity(wallet, 200)),
      );
    }
    return all;
  }

  #ask(question: string, how: (reading: Reading) => unknown): Step {
    return () => {
      const reading = this.#source.reading();
      const found = how(reading);
      const compare = (body: unknown) => {
        const key = `${question} at ${reading.revision}`;
        const before = this.#seen.get(key) ?? JSON.stringify(body) ?? 'nothing';
        this.#seen.set(key, before);
        expect(`${key}: ${JSON.stringify(body) ?? 'nothing'}`).toBe(`${key}: ${before}`);
      };
      return found instanceof Promise ? found.then(compare) : compare(found);
    };
  }
}

type Step = () => MaybePromise<void>;

/** Without a pause if there's nothing to wait for. */
function inTurn(steps: readonly Step[]): MaybePromise<void> | undefined {
  let done: MaybePromise<void> | undefined;
  for (const [at, step] of steps.entries()) {
    done = step();
    if (done instanceof Promise) return done.then(() => inTurn(steps.slice(at + 1)));
  }
  return done;
}

/** Runs a play until everything is committed and shown. */
async function run(kind: StoreKind, { commits, before }: Play): Promise<void> {
  const { url, follower, writers, begin, close } = await cast(kind);
  const model = new LedgerModel(WALLETS);
  const source = await follower.openSource();
  const witness = new Witness(source);
  const faults: unknown[] = [];
  let landed = 0;
  let questions = 0;
  let isInside = false;

  /** The next commits. */
  function commitsToLand(count: number): Step[] {
    return commits.slice(landed, landed + count).map((each) => () => {
      landed += 1;
      const batch = batchFrom(each, landed, model);
      const corrections = correctionsFrom(each, landed, model);
      const writer = writers[each.writer] as LedgerWriter;
      void writer.stage(batch);
      void writer.stageCorrections(corrections);
      const note = () => {
        model.commit(batch);
        model.correct(corrections);
      };
      const done = writer.commit();
      return done instanceof Promise ? done.then(note) : note();
    });
  }

  begin(() => {
    if (isInside) return undefined;
    isInside = true;
    const count = before[questions++ % before.length] ?? 0;
    const end = () => {
      isInside = false;
    };
    const note = (error: unknown) => void faults.push(error);
    try {
      const done = inTurn([...commitsToLand(count), ...witness.questions()]);
      if (done instanceof Promise) return done.catch(note).finally(end);
    } catch (error) {
      note(error);
    }
    return end();
  });
  try {
    await refreshed(follower);
    isInside = true;
    await inTurn(commitsToLand(commits.length));
    await refreshed(follower);
    expect(await answersOf(() => source.reading(), WALLETS)).toEqual(model.answers());
    expect(source.reading().isStale).toBe(false);
    const late = await open(url);
    expect((await late.openSource()).reading().revision).toBe(source.reading().revision);
    await late.close();
    expect(faults).toEqual([]);
  } finally {
    isInside = true;
    await close();
  }
}

it.each(STORE_KINDS)(
  'A follower in %s shows commits that land between any two of its queries, each state under its own revision',
  async (kind) => {
    const most = kind === 'postgres' ? 12 : 60;
    const numRuns = EFFORT === 1 ? most / 3 : most;
    await fc.assert(
      fc.asyncProperty(play, (each) => run(kind, each)),
      // Shrinking a failing play takes minutes.
      { numRuns, examples: [[ALL_NEW], [ALL_CORRECTED]], endOnFailure: true },
    );
  },
);
