import { RetryableError, UserError } from '#base';
import type { CommunityAdapter } from '#gating/community-adapter';
import { standingOf, type WalletMode } from '#gating/decide/counted-wallets';
import { readStandings, type Standing } from '#gating/decide/verdict';
import type { Community } from '#gating/rules/rule';
import type { KnownMember } from '#gating/store';
import type { EarnedBadge, Reading, ReputationSource, TierThresholds } from '#reputation';
import { type AnnounceSettings, isAsRare, type Sight } from './mark.ts';

/** Which of these accounts a community may tell of, by their owners' choices now. */
export type AnnouncedAmong = (
  platform: Community['platform'],
  accounts: readonly string[],
  community: string,
) => Promise<ReadonlySet<string>>;

/** Choices read at once. */
const AT_ONCE = 1_000;

/** The same of any number of members. */
export async function tellableAmong(
  {
    announcedAmong,
    yieldToEventLoop,
  }: {
    readonly announcedAmong: AnnouncedAmong;
    readonly yieldToEventLoop: () => Promise<void>;
  },
  { platform, id }: Community,
  members: readonly { readonly account: string }[],
): Promise<ReadonlySet<string>> {
  const tellable = new Set<string>();
  for (let from = 0; from < members.length; from += AT_ONCE) {
    if (from > 0) await yieldToEventLoop();
    const accounts = members.slice(from, from + AT_ONCE).map(({ account }) => account);
    for (const account of await announcedAmong(platform, accounts, id)) tellable.add(account);
  }
  return tellable;
}

/**
 * The first of these who are members still, asking the platform about no more than three times as many.
 * @returns with them those about whom it wasn't asked
 */
export async function presentAmong<T extends { readonly account: string }>(
  adapter: CommunityAdapter,
  community: Community,
  members: readonly T[],
  most: number,
): Promise<{ readonly present: readonly T[]; readonly others: readonly T[] }> {
  const present: T[] = [];
  let asked = 0;
  for (const each of members.slice(0, 3 * most)) {
    if (present.length === most) break;
    asked += 1;
    const member = await adapter.member(community.id, each.account);
    if (member !== undefined && member.isPending !== true) present.push(each);
  }
  return { present, others: members.slice(asked) };
}

/** How members of a community are looked at. */
export interface Looking {
  readonly source: ReputationSource;
  readonly badges: AnnounceSettings['badges'];
  readonly mode: WalletMode;
  readonly thresholds: TierThresholds;
}

/** What is seen of a member, with what a message about it needs. */
export interface MemberSight extends Sight {
  readonly score: number;
  /** Their best wallet. */
  readonly best: Standing | undefined;
  /** Badges of the announced kind, of all their wallets. */
  readonly earned: readonly EarnedBadge[];
}

/**
 * Looks at one member's wallets.
 * @returns undefined if they can't be read now
 */
export async function lookAt(
  { source, badges, mode, thresholds }: Looking,
  { wallets }: Pick<KnownMember, 'wallets'>,
  epoch: string,
): Promise<MemberSight | undefined> {
  const read = await readStandings(source, wallets);
  if ('unknown' in read || read.isPartial === true) return undefined;
  const { standings, unread = [] } = read;
  if (unread.length > 0) return undefined;
  const [best] = standings.toSorted((a, b) => (b.record?.score ?? -1) - (a.record?.score ?? -1));
  const counted = standingOf(standings, { mode, thresholds });
  const earned =
    badges === undefined
      ? []
      : (await badgesOf(source, standings))?.filter(({ tier }) => isAsRare(tier, badges));
  if (earned === undefined) return undefined;
  return {
    basis: basisOf(standings, badges, mode),
    epoch,
    tier: counted?.tier,
    badges: earned.map(({ id }) => id),
    score: counted?.score ?? 0,
    best,
    earned,
  };
}

/**
 * What a member's figures depend on: which wallets they've linked, how those count, and which badges do. The
 * first activity of a wallet is imported with its whole past, so it counts like a new link.
 */
function basisOf(
  standings: readonly Standing[],
  badges: AnnounceSettings['badges'],
  mode: WalletMode,
): string {
  const own = standings
    .filter(({ record }) => record !== undefined)
    .map(({ wallet: { chain, address } }) => `${chain}:${address}`);
  return [mode, badges ?? '', ...own.toSorted()].join(' ');
}

async function badgesOf(
  source: ReputationSource,
  standings: readonly Standing[],
): Promise<readonly EarnedBadge[] | undefined> {
  const known = standings.filter(({ record }) => record !== undefined);
  const reading = source.reading('background');
  try {
    const lists = await reading.badgeLists(known.map(({ wallet }) => wallet));
    const all = new Map(lists.flatMap((list) => list?.badges ?? []).map((each) => [each.id, each]));
    return reading.isStale ? undefined : [...all.values()];
  } catch (error) {
    if (error instanceof RetryableError) return undefined;
    throw error;
  }
}

/** Identifies the rules that scores stand on; empty if the source can't tell. @throws RetryableError */
export async function rulesVersionOf(reading: Reading): Promise<string> {
  if (reading.rulesVersion !== undefined) return reading.rulesVersion;
  try {
    return (await reading.provenance()).rules?.hash ?? '';
  } catch (error) {
    if (error instanceof UserError && error.code === 'route-not-found') return '';
    throw error;
  }
}
