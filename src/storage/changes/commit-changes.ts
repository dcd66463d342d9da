import { wallSeconds } from '#base';
import type { DroppedAward } from '#storage/corrections';
import type { ScoreChange } from '#storage/scoring/plan';
import { type Dialect, insertInto, type SqlScript } from '#storage/sql/script';
import { ChangePacker, type ChangePart, type Loss } from './packed-changes.ts';

/** What a wallet got from imports. */
export interface Imported {
  readonly points: number;
  readonly activities: number;
  /** Badge ids. */
  readonly badges: readonly string[];
}

/**
 * Packs how a step of the live rules changes what is shown.
 * @param importedOf returns a wallet's imports by its number
 */
export function packScores(
  changes: readonly ScoreChange[],
  importedOf: (wallet: number) => Imported | undefined,
  numberOf: (badge: string) => number,
): readonly ChangePart[] {
  const packer = new ChangePacker();
  const sorted = changes.toSorted((one, other) => one.score.number - other.score.number);
  for (const { score, sums, points, activities, gained, lost } of sorted) {
    const { number } = score;
    const imported = importedOf(number) ?? { points: 0, activities: 0, badges: [] };
    const after = imported.points + sums.points;
    const isSeen = imported.activities + sums.activities > 0;
    const wasSeen = imported.activities + sums.activities - activities > 0;
    if (!isSeen && !wasSeen) continue;
    const isOwn = (badge: string) => !imported.badges.includes(badge);
    const earned = gained.filter(isOwn).map(numberOf);
    const loss = lossOf(isSeen, lost.some(isOwn));
    packer.add(number, wasSeen ? after - points : undefined, after, earned, loss);
  }
  return packer.end();
}

/** What a wallet has by either score version, besides imports. */
interface SwitchedWallet {
  readonly wallet: number;
  readonly imported: { readonly points: number; readonly activities: number };
  readonly before: { readonly points: number; readonly activities: number };
  readonly after: { readonly points: number; readonly activities: number };
}

/** Packs how a switch of rules changes what is shown. */
export class SwitchPacker {
  readonly #packer = new ChangePacker();

  /**
   * Adds wallets, in the order of their numbers.
   * @param gained numbers of the badges that each wallet has only by the new rules
   * @param lost the same for the old rules
   */
  add(
    wallets: readonly SwitchedWallet[],
    gained: ReadonlyMap<number, readonly number[]>,
    lost: ReadonlyMap<number, readonly number[]>,
  ): void {
    for (const { wallet, imported, before, after } of wallets) {
      const wasSeen = imported.activities + before.activities > 0;
      const isSeen = imported.activities + after.activities > 0;
      if (!isSeen && !wasSeen) continue;
      const points = imported.points + after.points;
      const old = wasSeen ? imported.points + before.points : undefined;
      const loss = lossOf(isSeen, lost.has(wallet));
      this.#packer.add(wallet, old, points, gained.get(wallet), loss);
    }
  }

  end(): readonly ChangePart[] {
    return this.#packer.end();
  }
}

function lossOf(isSeen: boolean, hasLostBadges: boolean): Loss | undefined {
  if (!isSeen) return 'activity';
  return hasLostBadges ? 'badges' : undefined;
}

/** SQL about wallets with numbers above $1, up to $2, at a switch from score version $3 to score version $4. */
export const SWITCH_SQL = {
  wallets: `
    SELECT wallet.id, wallet.points, wallet.activities,
           coalesce(old.points, 0), coalesce(old.activities, 0),
           coalesce(new.points, 0), coalesce(new.activities, 0)
    FROM (
      SELECT wallet FROM scored_wallet WHERE edition = $3 AND wallet > $1 AND wallet <= $2
      UNION
      SELECT wallet FROM scored_wallet WHERE edition = $4 AND wallet > $1 AND wallet <= $2
    ) AS either
    JOIN wallet ON wallet.id = either.wallet
    LEFT JOIN scored_wallet AS old ON old.edition = $3 AND old.wallet = either.wallet
    LEFT JOIN scored_wallet AS new ON new.edition = $4 AND new.wallet = either.wallet
    ORDER BY wallet.id`,
  gained: badgesOfOne('$4', '$3'),
  lost: badgesOfOne('$3', '$4'),
} as const;

/** Badges that one score version grants and the other doesn't, unless an import earned them. */
function badgesOfOne(edition: string, other: string): string {
  return `
    SELECT wallet, badge FROM scored_badge AS own
    WHERE edition = ${edition} AND wallet > $1 AND wallet <= $2
      AND NOT EXISTS (
        SELECT 1 FROM scored_badge AS also
        WHERE also.edition = ${other} AND also.wallet = own.wallet AND also.badge = own.badge
      )
      AND NOT EXISTS (SELECT 1 FROM award WHERE award.wallet = own.wallet AND award.badge = own.badge)
    ORDER BY wallet, badge`;
}

type Rows = readonly (readonly unknown[])[];

/** @param unsummed points and activities that aren't in the wallets' sums yet */
export function switchedWallets(rows: Rows, unsummed: Rows = []): SwitchedWallet[] {
  const tail = new Map(unsummed.map((row) => [Number(row[0]), row]));
  return rows.map((row) => {
    const [wallet, points, activities, oldPoints, old, newPoints, now] = row.map(Number) as Figures;
    const [, morePoints = 0, more = 0] = tail.get(wallet) ?? [];
    return {
      wallet,
      imported: { points: points + Number(morePoints), activities: activities + Number(more) },
      before: { points: oldPoints, activities: old },
      after: { points: newPoints, activities: now },
    };
  });
}

type Figures = [number, number, number, number, number, number, number];

/** Badge numbers by wallet. */
export function badgesByWallet(rows: Rows): Map<number, number[]> {
  const all = new Map<number, number[]>();
  for (const [wallet, badge] of rows) {
    const own = all.get(Number(wallet));
    if (own === undefined) all.set(Number(wallet), [Number(badge)]);
    else own.push(Number(badge));
  }
  return all;
}

/** What the live rules grant the wallets of a commit. */
export interface GrantedByRules {
  /** By wallet. */
  readonly sums: ReadonlyMap<number, { readonly points: number; readonly activities: number }>;
  /** `WALLET BADGE`, for the badges that the commit earns, too. */
  readonly badges: ReadonlySet<string>;
}

/** If no rules are live. */
export const NO_RULES: GrantedByRules = { sums: new Map(), badges: new Set() };

const NONE: readonly never[] = [];

/** Packs how an import's commit changes what is shown. */
export class ImportPacker {
  readonly #packer = new ChangePacker();
  readonly #granted: GrantedByRules;
  readonly #dropped: ReadonlyMap<number, readonly DroppedAward[]>;
  readonly #isPlain: boolean;

  /** @param dropped awards lost through the commit's corrections */
  constructor(granted: GrantedByRules, dropped: readonly DroppedAward[]) {
    this.#granted = granted;
    this.#dropped = Map.groupBy(dropped, ({ wallet }) => wallet);
    this.#isPlain = granted === NO_RULES && dropped.length === 0;
  }

  /**
   * Adds a wallet, in the order of their numbers.
   * @param points its sum of imported points after the commit
   * @param gain what the commit adds to it
   * @param activities how many had been imported before the commit
   * @param earned numbers of the badges that no earlier import had earned
   */
  add(
    wallet: number,
    points: number,
    gain: number,
    activities: number,
    earned: readonly number[] = NONE,
  ): void {
    // The common case: nearly every line of an import.
    if (this.#isPlain) {
      this.#packer.add(wallet, activities > 0 ? points - gain : undefined, points, earned);
      return;
    }
    const { sums, badges } = this.#granted;
    const own = sums.get(wallet);
    const all = points + (own?.points ?? 0);
    const wasSeen = activities + (own?.activities ?? 0) > 0;
    const drops = this.#dropped.get(wallet) ?? NONE;
    const isShown = (badge: number) =>
      !drops.some((drop) => drop.badge === badge) && !badges.has(`${wallet} ${badge}`);
    // A badge that the same commit earns and drops was never shown.
    const hasLost = drops.some(({ badge, isLost }) => isLost && !earned.includes(badge));
    const before = wasSeen ? all - gain : undefined;
    this.#packer.add(wallet, before, all, earned.filter(isShown), hasLost ? 'badges' : undefined);
  }

  end(): readonly ChangePart[] {
    return this.#packer.end();
  }
}

interface NewBatch {
  /** Seconds since 1970; now by default. */
  readonly at?: number;
  /** The changes in this batch. */
  readonly changes?: readonly ChangePart[];
  /** The version of the rules that this batch makes live, if any. */
  readonly edition?: number;
}

const PART = insertInto('change_part', ['first', 'count', 'batch', 'edition', 'changes']);

/**
 * Records that the transaction, which alone may write to the ledger, changes what is shown, and how.
 * @returns the batch's number
 */
export function* addBatch(
  dialect: Dialect,
  { at = wallSeconds(), changes = [], edition }: NewBatch = {},
): SqlScript<number> {
  const isSwitch = edition !== undefined;
  const count = changes.reduce((sum, part) => sum + part.count, isSwitch ? 1 : 0);
  const batch = yield* dialect.addBatchRow(at, count);
  if (count === 0) return batch.number;
  let first = batch.changes - count + 1;
  const parts: unknown[][] = [];
  if (isSwitch) parts.push([first++, 1, batch.number, edition, new Uint8Array()]);
  for (const part of changes) {
    parts.push([first, part.count, batch.number, null, part.bytes]);
    first += part.count;
  }
  yield* dialect.insert(PART, parts);
  return batch.number;
}
