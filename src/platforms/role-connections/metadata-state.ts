import type { Elapsed } from '#base';
import type { MemberStandings, Standing } from '#gating';
import type { Link } from '#linking';
import { TIERS } from '#reputation';
import { shortAddress } from '#wallet';
import { type Figures, highest, lowest, settleFigures } from './figures.ts';
import type { MetadataState, RoleMetadata } from './store.ts';

export interface RoleReading {
  /** The account's wallets, oldest first. */
  readonly links: readonly Link[];
  /**
   * Whether the wallets are public; if not, Discord, which shows it to everyone, only gets the
   * tier.
   */
  readonly isPublic: boolean;
  readonly read: MemberStandings;
  /** Seconds since 1970. */
  readonly now: number;
  readonly elapsed: Elapsed;
}

/**
 * A member's next metadata. Unlinking a wallet takes effect immediately; otherwise a single reading
 * lowers nothing, and one that's untrusted or incomplete changes nothing.
 */
export function nextMetadataState(
  before: MetadataState,
  { links, isPublic, read, now, elapsed }: RoleReading,
): MetadataState {
  const [oldest] = links;
  if (oldest === undefined) return next(before, undefined, undefined, now);
  const { shown, fall } = before;
  const wallets = links.map(({ wallet }) => wallet.address);
  const hasLost = shown?.wallets.some((address) => !wallets.includes(address)) === true;
  const isUntrusted =
    'unknown' in read ||
    (read.unread ?? []).length > 0 ||
    (read.isPartial === true && shown !== undefined);
  if (isUntrusted) {
    if (shown === undefined) return { ...before, checkedAt: now };
    const name = isPublic && !hasLost ? shown.name : tierName(shown.figures);
    return next(before, { ...shown, name, isExact: isPublic }, fall, now);
  }
  const figures = figuresOf(read.standings, oldest.linkedAt);
  const name = isPublic ? bestName(read.standings) : undefined;
  const settled =
    shown === undefined || hasLost
      ? { figures, fall: undefined }
      : settleFigures(shown.figures, fall, figures, now, elapsed);
  const named = name ?? tierName(settled.figures);
  const after = { figures: settled.figures, name: named, isExact: isPublic, wallets };
  return next(before, after, settled.fall, now);
}

function next(
  { shown: before, isAccepted }: MetadataState,
  shown: RoleMetadata | undefined,
  fall: MetadataState['fall'],
  now: number,
): MetadataState {
  return { shown, fall, checkedAt: now, isAccepted: isAccepted && isSame(before, shown) };
}

/** Whether Discord would get the same data; the wallets themselves aren't sent. */
function isSame(a: RoleMetadata | undefined, b: RoleMetadata | undefined): boolean {
  const told = (shown: RoleMetadata | undefined) =>
    shown === undefined ? '' : JSON.stringify([shown.name ?? null, sentFigures(shown)]);
  return told(a) === told(b);
}

function sentFigures({ figures, isExact }: RoleMetadata): readonly unknown[] {
  const { score, tier, rank, badges, linkedAt } = figures;
  return isExact === false ? [tier] : [score, tier, rank, badges, linkedAt];
}

function figuresOf(standings: readonly Standing[], linkedAt: number): Figures {
  const records = standings.map(({ record }) => record);
  return {
    score: highest(records.map((record) => record?.score)),
    tier: highest(records.map((record) => record && TIERS.length - TIERS.indexOf(record.tier))),
    rank: lowest(records.map((record) => record?.rank)),
    badges: highest(records.map((record) => record?.badges.length)),
    linkedAt,
  };
}

/** In English: Discord shows everyone the same. */
function tierName({ tier }: Figures): string | undefined {
  return tier === undefined ? undefined : TIERS[TIERS.length - tier];
}

function bestName(standings: readonly Standing[]): string | undefined {
  const [best] = standings.toSorted((a, b) => (b.record?.score ?? -1) - (a.record?.score ?? -1));
  return best && shortAddress(best.wallet.address);
}
