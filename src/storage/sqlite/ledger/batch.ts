import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  differs,
  type EventCommit,
  eventDiffers,
  isSameContent,
  type LedgerRefusal,
  type LineRefusal,
} from '#import';
import type { ActivityContent, ImportedEvent, LedgerActivity, LedgerCorrection } from '#reputation';
import { IMPORT } from '#scoring';
import { type GrantedByRules, ImportPacker, NO_RULES } from '#storage/changes/commit-changes';
import type { ChangePart } from '#storage/changes/packed-changes';
import {
  type CorrectionFacts,
  type DroppedAward,
  EARNED_AT_SQL,
  GIVEN_BY_RULES_SQL,
  type KnownActivity,
  type PlannedCorrection,
  touchedAwards,
} from '#storage/corrections';
import { readIntegers } from '#storage/following/fill-standings';
import { addedEvidence, noteArrivals } from '#storage/scoring/evidence-store';
import type { Row, SqlRunner } from '#storage/sql/script';
import { rowsOf } from '#storage/sqlite/database';
import { packed } from '#storage/sqlite/following';
import { CHAINS, type Chain, type Wallet } from '#wallet';

/** Cached wallet numbers, some 100 bytes each. */
const NUMBERS_KEPT = 50_000;
/** Addresses per query. */
const LOOKUP_MOST = 2_000;

/** What names a wallet. */
interface OfWallet {
  readonly wallet: Wallet;
}

/** Numbers of recent wallets, by address; a busy one returns in every batch. */
export class WalletNumbers {
  readonly #find: StatementSync;
  readonly #add: StatementSync;
  #known = new Map<string, number>();

  constructor(db: DatabaseSync) {
    this.#find = db.prepare(
      'SELECT wallet.id, wallet.address FROM json_each(?) AS asked JOIN wallet ON wallet.address = asked.value',
    );
    this.#add = db.prepare('INSERT INTO wallet (address, chain) VALUES (?, ?)');
  }

  /** Call it when a transaction that assigned numbers was rolled back. */
  forget(): void {
    this.#known.clear();
  }

  /** @returns numbers by address, without those of unknown wallets */
  find(addresses: readonly string[]): ReadonlyMap<string, number> {
    this.#lookUp(new Set(addresses));
    return this.#known;
  }

  /** Call it in a transaction. @returns numbers by address, of all wallets in the lists */
  findOrAssign(lists: readonly (readonly OfWallet[])[]): ReadonlyMap<string, number> {
    const chains = new Map<string, Chain>();
    for (const list of lists) {
      for (const { wallet } of list) chains.set(wallet.address, wallet.chain);
    }
    for (const address of this.#lookUp(chains.keys())) {
      if (this.#known.has(address)) continue;
      const chain = CHAINS.indexOf(chains.get(address) as Chain);
      this.#known.set(ownText(address), Number(this.#add.run(address, chain).lastInsertRowid));
    }
    return this.#known;
  }

  /** In index order. @returns the wallets that were queried */
  #lookUp(all: Iterable<string>): string[] {
    if (this.#known.size > NUMBERS_KEPT) this.#known = new Map();
    const known = this.#known;
    const addresses = [...all].filter((address) => !known.has(address));
    addresses.sort((a, b) => (a < b ? -1 : 1));
    for (let from = 0; from < addresses.length; from += LOOKUP_MOST) {
      const asked = JSON.stringify(addresses.slice(from, from + LOOKUP_MOST));
      for (const [id, address] of rowsOf<[number, string]>(this.#find, asked)) {
        known.set(address, id);
      }
    }
    return addresses;
  }
}

/** A copy of the text that doesn't keep alive the long text it was cut from. */
function ownText(text: string): string {
  return Buffer.from(text).toString();
}

/** Sums of wallets after a commit, in parallel arrays. */
export interface WalletSums {
  readonly wallets: readonly number[];
  readonly points: Float64Array;
  readonly activities: Float64Array;
}

/** What a commit added to a wallet. */
interface Added {
  readonly points: number;
  /** Two numbers for each ledger row. */
  readonly rows: readonly number[];
  readonly earned?: readonly number[];
}

export type ImportChanges = ReturnType<typeof createImportChanges>;

/** Computes how an import's commits change what is shown. */
export function createImportChanges(db: DatabaseSync) {
  const sql = {
    // CROSS JOIN keeps the planner from reordering the join.
    sums: db.prepare(
      `SELECT count(*) AS n, ${packed('wallet.points')} AS points,
              ${packed('wallet.activities')} AS activities
       FROM json_each(?) AS asked CROSS JOIN wallet ON wallet.id = asked.value`,
    ),
    edition: db.prepare(`SELECT number FROM edition WHERE state = 'live'`),
    granted: db.prepare(
      `SELECT wallet, points, activities FROM json_each(?) AS asked
       CROSS JOIN scored_wallet AS scored ON scored.edition = ? AND scored.wallet = asked.value`,
    ),
    badge: db.prepare('SELECT 1 FROM scored_badge WHERE edition = ? AND wallet = ? AND badge = ?'),
  };

  /** What the live rules grant the wallets of a commit, including badges that the commit earns them. */
  function grantedTo(added: ReadonlyMap<number, Added>): GrantedByRules {
    const edition = sql.edition.get()?.number;
    if (edition === undefined) return NO_RULES;
    const asked = JSON.stringify([...added.keys()]);
    const rows = rowsOf<[number, number, number]>(sql.granted, asked, edition);
    const sums = new Map(
      rows.map(([wallet, points, activities]) => [wallet, { points, activities }]),
    );
    const badges = new Set<string>();
    for (const [wallet, { earned = [] }] of added) {
      for (const badge of earned) {
        if (sql.badge.get(edition, wallet, badge)) badges.add(`${wallet} ${badge}`);
      }
    }
    return { sums, badges };
  }

  return {
    /** Call it once everything is added. @param wallets numbers in order */
    sumsOf(wallets: readonly number[]): WalletSums {
      const row = sql.sums.get(JSON.stringify(wallets));
      const column = (bytes: unknown) => {
        const integers = new Float64Array(wallets.length);
        if (bytes instanceof Uint8Array) readIntegers(bytes, integers);
        return integers;
      };
      if (row?.n !== wallets.length) throw new Error('a wallet of the commit is missing');
      return { wallets, points: column(row.points), activities: column(row.activities) };
    },
    /** @param dropped awards lost through corrections */
    packed(
      added: ReadonlyMap<number, Added>,
      sums: WalletSums,
      dropped: readonly DroppedAward[],
    ): readonly ChangePart[] {
      const packer = new ImportPacker(grantedTo(added), dropped);
      const { wallets, points, activities } = sums;
      for (let place = 0; place < wallets.length; place++) {
        const wallet = wallets[place] as number;
        const { points: gain, rows, earned } = added.get(wallet) as Added;
        const before = (activities[place] as number) - rows.length / 2;
        packer.add(wallet, points[place] as number, gain, before, earned);
      }
      return packer.end();
    },
  };
}

/** The writer's queries about known activities, and its record of corrections. */
export interface Corrections {
  /** Whether a wallet has an activity with an id. */
  has(wallet: number, id: string): boolean;
  /** Why an activity whose id the wallet already has is rejected; undefined if it is identical. */
  refusalOf(wallet: number, activity: LedgerActivity): LineRefusal | undefined;
  factsOf(corrections: readonly LedgerCorrection[]): CorrectionFacts[];
  /**
   * Call it once the adjustments are in the ledger, in the same transaction.
   * @returns awards that were dropped
   */
  note(planned: readonly PlannedCorrection[]): readonly DroppedAward[];
}

export function createCorrections(db: DatabaseSync): Corrections {
  const sql = prepareCorrections(db);

  /** An activity's current content. */
  function known(wallet: number, id: string): KnownActivity | undefined {
    const row = sql.activity.get(wallet, id);
    if (row === undefined) return undefined;
    const seq = Number(row.seq);
    return { seq, wallet, content: contentOf(sql.newest.get(seq) ?? row) };
  }

  function lookAgain(wallet: number, badge: number, seq: number): DroppedAward | undefined {
    const earnedAt = sql.earnedAt.get({ $1: wallet, $2: badge })?.earned_at ?? null;
    if (earnedAt !== null) sql.setAward.run(Number(earnedAt), wallet, badge);
    else if (sql.dropAward.run(wallet, badge).changes !== 0) {
      const isLost = sql.setLost.run({ badge, seq }).changes !== 0;
      return { wallet, badge, isLost };
    }
    return undefined;
  }

  return {
    has: (wallet, id) => sql.activity.get(wallet, id) !== undefined,
    refusalOf(wallet, activity) {
      const row = sql.activity.get(wallet, activity.id);
      if (row === undefined || isSameContent(contentOf(row), activity)) return undefined;
      const now = known(wallet, activity.id) as KnownActivity;
      return isSameContent(now.content, activity) ? undefined : differs(activity, now.content);
    },
    factsOf: (corrections) =>
      corrections.map((correction) => {
        const wallet = sql.wallet.get(correction.wallet.address)?.id;
        if (wallet === undefined) return { activity: undefined, isKnown: false };
        return {
          activity: known(Number(wallet), correction.corrects),
          isKnown: sql.activity.get(wallet, correction.id) !== undefined,
        };
      }),
    note(planned) {
      const seqs = new Map<string, number>();
      for (const { correction, activity } of planned) {
        const { id, description, points, timestamp, badge = null } = correction;
        const { wallet, seq: corrects } = activity;
        const seq = Number(sql.activity.get(wallet, id)?.seq);
        seqs.set(id, seq);
        sql.add.run(seq, corrects, wallet, description, points, timestamp, badge);
      }
      return touchedAwards(planned).flatMap(({ wallet, badge, correction }) => {
        const number = Number(sql.badge.get(badge)?.number);
        return lookAgain(wallet, number, seqs.get(correction) as number) ?? [];
      });
    },
  };
}

function contentOf(row: Row): ActivityContent {
  return {
    description: String(row.description),
    points: Number(row.points),
    timestamp: Number(row.timestamp),
    badge: row.badge === null ? undefined : String(row.badge),
  };
}

function prepareCorrections(db: DatabaseSync) {
  const content = (table: string) =>
    `${table}.description, ${table}.points, ${table}.timestamp, badge.id AS badge
     FROM ${table} LEFT JOIN badge ON badge.number = ${table}.badge`;
  return {
    wallet: db.prepare('SELECT id FROM wallet WHERE address = ?'),
    badge: db.prepare('SELECT number FROM badge WHERE id = ?'),
    activity: db.prepare(
      `SELECT activity.seq, ${content('activity')} WHERE activity.wallet = ? AND activity.id = ?`,
    ),
    newest: db.prepare(
      `SELECT ${content('correction')} WHERE correction.corrects = ? ORDER BY correction.number DESC LIMIT 1`,
    ),
    add: db.prepare(
      `INSERT INTO correction (seq, corrects, wallet, description, points, timestamp, badge)
       VALUES (?, ?, ?, ?, ?, ?, (SELECT number FROM badge WHERE id = ?))`,
    ),
    earnedAt: db.prepare(EARNED_AT_SQL),
    setAward: db.prepare('UPDATE award SET earned_at = ? WHERE wallet = ? AND badge = ?'),
    dropAward: db.prepare('DELETE FROM award WHERE wallet = ? AND badge = ?'),
    setLost: db.prepare(
      `UPDATE correction SET lost = $badge WHERE seq = $seq AND NOT ${GIVEN_BY_RULES_SQL}`,
    ),
  };
}

/** Where imported events go. */
export interface EvidenceIn {
  /** Call it in a transaction. @param numbers of all their wallets, by address */
  add(events: readonly ImportedEvent[], numbers: ReadonlyMap<string, number>): EventCommit;
  /** @param numbers of known wallets, by address */
  compare(
    events: readonly ImportedEvent[],
    numbers: ReadonlyMap<string, number>,
  ): readonly LedgerRefusal[];
}

/** @param runner of the same database */
export function createEvidence(db: DatabaseSync, runner: SqlRunner): EvidenceIn {
  const sql = prepare(db);

  function inputsOf(): Map<string, number> {
    const rows = sql.inputs.all(IMPORT);
    return new Map(rows.map((row) => [String(row.name), Number(row.number)]));
  }

  function refusalOf(place: number, event: ImportedEvent, wallet: number, input: number) {
    const known = sql.known.get(wallet, input, event.source);
    if (known === undefined) return [];
    const refusal = eventDiffers(event, {
      timestamp: Number(known.time),
      args: String(known.args),
    });
    return refusal === undefined ? [] : [{ place, ...refusal }];
  }

  return {
    add(events, numbers) {
      const inputs = inputsOf();
      for (const { event } of events) {
        if (inputs.has(event)) continue;
        inputs.set(event, Number(sql.addInput.run(IMPORT, event).lastInsertRowid));
      }
      const pending = events
        .map((event, place) => ({
          event,
          place,
          wallet: numbers.get(event.wallet.address) as number,
          input: inputs.get(event.event) as number,
        }))
        // In table order; of two that are the same event, the first counts.
        .sort(
          (a, b) =>
            a.wallet - b.wallet || a.input - b.input || byText(a.event.source, b.event.source),
        );
      const added: ImportedEvent[] = [];
      const refused: LedgerRefusal[] = [];
      for (const { event, place, wallet, input } of pending) {
        const { source, timestamp, args } = event;
        const { changes } = sql.add.run(wallet, input, source, timestamp, timestamp, args);
        if (changes !== 0) added.push(event);
        else refused.push(...refusalOf(place, event, wallet, input));
      }
      if (added.length > 0) {
        const { source, events: count, newest } = addedEvidence(added);
        sql.count.run(source, count, newest);
        const wallets = added.map(({ wallet }) => numbers.get(wallet.address) as number);
        void runner.query(() => noteArrivals(runner.dialect, wallets));
      }
      return { added: added.length, known: events.length - added.length - refused.length, refused };
    },
    compare(events, numbers) {
      const inputs = inputsOf();
      return events.flatMap((event, place) => {
        const wallet = numbers.get(event.wallet.address);
        const input = inputs.get(event.event);
        if (wallet === undefined || input === undefined) return [];
        return refusalOf(place, event, wallet, input);
      });
    },
  };
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function prepare(db: DatabaseSync) {
  return {
    inputs: db.prepare('SELECT number, name FROM evidence_input WHERE source = ?'),
    addInput: db.prepare('INSERT INTO evidence_input (source, name) VALUES (?, ?)'),
    add: db.prepare(
      `INSERT INTO evidence (wallet, input, place, height, time, args) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (wallet, input, place) DO NOTHING`,
    ),
    known: db.prepare(
      'SELECT time, args FROM evidence WHERE wallet = ? AND input = ? AND place = ?',
    ),
    count: db.prepare(
      `INSERT INTO evidence_source (source, events, newest) VALUES (?, ?, ?)
       ON CONFLICT (source) DO UPDATE
       SET events = events + excluded.events, newest = max(newest, excluded.newest)`,
    ),
  };
}
