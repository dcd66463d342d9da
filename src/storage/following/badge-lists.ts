import { formatTime, type MaybePromise } from '#base';
import type { Turns } from '#base/process';
import type { BadgeDefinition, BadgeList, EarnedBadge } from '#reputation';
import type { Standings } from '#reputation/standings';

/** How many are written out in a turn of the event loop, which takes a millisecond or two. */
const IN_A_TURN = 1_000;

/** A wallet that has activity, by its number in the standings. */
interface Known {
  readonly number: number;
  readonly address: string;
}

/** @param at when it was earned, in seconds since 1970 */
export function earnedBadgeOf(definition: BadgeDefinition, at: number): EarnedBadge {
  const { id, name, description, tier, imageUrl, soulbound } = definition;
  return { id, name, description, tier, earnedAt: formatTime(at), imageUrl, soulbound };
}

/**
 * The badges of several wallets, all from one state: what they have is noted at once, and where that's much, written
 * out in turns, so that nobody waits for all of it.
 * @param wallets undefined for one without activity
 */
export function badgeListsOf(
  standings: Standings,
  wallets: readonly (Known | undefined)[],
  turns: Turns,
): MaybePromise<(BadgeList | undefined)[]> {
  const all = wallets.reduce(
    (sum, each) => sum + (each ? standings.badgeCount(each.number) : 0),
    0,
  );
  if (all <= IN_A_TURN) {
    return wallets.map(
      (each) => each && listOf(each, standings.badges(each.number, earnedBadgeOf)),
    );
  }
  const noted = wallets.map(
    (each) =>
      each && {
        address: each.address,
        earned: standings.badges(each.number, (definition, at) => ({ definition, at })),
      },
  );
  return writtenInTurns(noted, turns);
}

interface Noted {
  readonly address: string;
  readonly earned: readonly { readonly definition: BadgeDefinition; readonly at: number }[];
}

async function writtenInTurns(
  noted: readonly (Noted | undefined)[],
  turns: Turns,
): Promise<(BadgeList | undefined)[]> {
  const lists: (BadgeList | undefined)[] = [];
  let inTurn = 0;
  for (const each of noted) {
    const count = each?.earned.length ?? 0;
    if (inTurn > 0 && inTurn + count > IN_A_TURN) {
      await turns.next();
      inTurn = 0;
    }
    inTurn += count;
    const badges = each?.earned.map(({ definition, at }) => earnedBadgeOf(definition, at));
    lists.push(each && badges && listOf(each, badges));
  }
  return lists;
}

function listOf({ address }: { readonly address: string }, badges: EarnedBadge[]): BadgeList {
  return { address, badges, total: badges.length };
}
