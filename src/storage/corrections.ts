import { correctionText, correctsNothing, type LedgerRefusal, tooManyActivities } from '#import';
import {
  type ActivityContent,
  ADJUSTMENT,
  type LedgerActivity,
  type LedgerCorrection,
} from '#reputation';

/** What all stores share about corrections. */

/** A ledger activity that may be corrected. */
export interface KnownActivity {
  /** Ledger row. */
  readonly seq: number;
  /** Number. */
  readonly wallet: number;
  /** Its current content: that of its newest correction, if it has one. */
  readonly content: ActivityContent;
}

/** What the ledger knows about a correction. */
export interface CorrectionFacts {
  /** The activity that it corrects; undefined if there is none. */
  readonly activity: KnownActivity | undefined;
  /** Whether the ledger has this correction already. */
  readonly isKnown: boolean;
}

/** A correction to apply. */
export interface PlannedCorrection {
  readonly correction: LedgerCorrection;
  /** Its row in the ledger. */
  readonly adjustment: LedgerActivity;
  readonly activity: KnownActivity;
  /** Ids of badges that the wallet may gain, lose or have earned at a different time. */
  readonly badges: ReadonlySet<string>;
}

/** An award that nothing imported earns any more. */
export interface DroppedAward {
  readonly wallet: number;
  /** Number. */
  readonly badge: number;
  /** Whether the wallet has lost the badge: rules may grant it too. */
  readonly isLost: boolean;
}

interface CorrectionPlan {
  readonly planned: readonly PlannedCorrection[];
  readonly refused: readonly LedgerRefusal[];
}

/**
 * Decides what to do with corrections; those in neither list are known already. Of duplicates, the
 * first counts.
 * @param facts one for each, as of before all of them
 * @param from place of the first one
 * @param full wallets that can't have more activities
 */
export function planCorrections(
  corrections: readonly LedgerCorrection[],
  facts: readonly CorrectionFacts[],
  from: number,
  full: ReadonlySet<number> = NO_WALLETS,
): CorrectionPlan {
  const planned: PlannedCorrection[] = [];
  const refused: LedgerRefusal[] = [];
  /** Current content by ledger row. */
  const contents = new Map<number, ActivityContent>();
  const ids = new Set<string>();
  for (const [index, correction] of corrections.entries()) {
    const { activity, isKnown = false } = facts[index] ?? {};
    if (activity === undefined) {
      refused.push({ place: from + index, ...correctsNothing(correction) });
      continue;
    }
    const before = contents.get(activity.seq) ?? activity.content;
    if (isKnown || ids.has(correction.id)) continue;
    if (full.has(activity.wallet)) {
      refused.push({ place: from + index, ...tooManyActivities() });
      continue;
    }
    // Record it even if it agrees: if it is imported again after a newer one, it must be known by
    // then.
    ids.add(correction.id);
    contents.set(activity.seq, correction);
    planned.push({
      correction,
      activity,
      adjustment: adjustmentOf(correction, before),
      badges: new Set([before.badge, correction.badge].filter((each) => each !== undefined)),
    });
  }
  return { planned, refused };
}

function adjustmentOf(correction: LedgerCorrection, before: ActivityContent): LedgerActivity {
  const { id, wallet, points, timestamp, badge } = correction;
  return {
    id,
    wallet,
    type: ADJUSTMENT,
    description: correctionText(correction, before),
    points: points - before.points,
    timestamp,
    badge: badge === before.badge ? undefined : badge,
  };
}

/** Badges of wallets to reevaluate, each with the last correction that may have changed it. */
export function touchedAwards(planned: readonly PlannedCorrection[]) {
  const touched = new Map<string, { wallet: number; badge: string; correction: string }>();
  for (const { activity, badges, correction } of planned) {
    const { wallet } = activity;
    for (const badge of badges) {
      touched.set(`${wallet} ${badge}`, { wallet, badge, correction: correction.id });
    }
  }
  return [...touched.values()];
}

/**
 * The corrections of a batch ($1, whose last row is $2) behind a row ($3), at most $4: their wallets, and
 * the badges that they cost them.
 */
export const CORRECTED_SQL = `
  SELECT seq, wallet, lost FROM correction
  WHERE seq <= $2 AND seq > $3 AND seq > coalesce(
    (SELECT last_seq FROM batch WHERE id < $1 ORDER BY id DESC LIMIT 1), 0
  )
  ORDER BY seq LIMIT $4`;

/**
 * When a wallet ($1) earned a badge by its number ($2), with corrections applied; null if it
 * hasn't.
 */
export const EARNED_AT_SQL = `
  SELECT min(timestamp) AS earned_at FROM (
    SELECT timestamp FROM activity
    WHERE wallet = $1 AND badge = $2
      AND NOT EXISTS (SELECT 1 FROM correction WHERE correction.corrects = activity.seq)
      AND NOT EXISTS (SELECT 1 FROM correction WHERE correction.seq = activity.seq)
    UNION ALL
    SELECT timestamp FROM correction
    WHERE wallet = $1 AND badge = $2 AND NOT EXISTS (
      SELECT 1 FROM correction AS later
      WHERE later.corrects = correction.corrects AND later.number > correction.number
    )
  ) AS earning`;

/** Whether the live rules also grant a badge ($badge) to the wallet of a correction. */
export const GIVEN_BY_RULES_SQL = `
  EXISTS (
    SELECT 1 FROM scored_badge JOIN edition ON edition.number = scored_badge.edition
    WHERE edition.state = 'live' AND scored_badge.wallet = correction.wallet
      AND scored_badge.badge = $badge
  )`;

/**
 * Thrown where a batch would give wallets more than ACTIVITIES_MAX activities. It is to be rolled
 * back and written again without what is new of them: that is rare, and counting first would cost
 * every batch.
 */
export class TooManyActivities extends Error {
  override readonly name = 'TooManyActivities';
  /** Their numbers. */
  readonly wallets: ReadonlySet<number>;

  constructor(wallets: ReadonlySet<number>) {
    super('a wallet would have too many activities');
    this.wallets = wallets;
  }
}

export const NO_WALLETS: ReadonlySet<number> = new Set();
