import { formatTime, type MaybePromise, mapMaybe, parseTime } from '#base';
import type { BadgeHolders, BadgeHoldersQuery } from '#reputation';
import type { Row } from '#storage/sql/script';
import type { Follower } from './follow.ts';
import { type LongLists, listEndOf } from './lists.ts';
import type { StandingsAnswers } from './standings-answers.ts';

/** Newer than any award. */
const START = { earnedAt: Number.MAX_SAFE_INTEGER, wallet: 0 };

interface Parts {
  readonly follower: Follower;
  readonly lists: LongLists;
  readonly answers: StandingsAnswers;
}

/** A page of a badge's holders; undefined if no badge has this id. */
export function readHolders(
  { follower, lists, answers }: Parts,
  { badge: id, limit, after }: BadgeHoldersQuery,
): MaybePromise<BadgeHolders | undefined> {
  const { standings, position } = follower.shown;
  const found = standings.badgeWithId(id);
  if (found === undefined) return undefined;
  const [badge, definition] = found;
  const place =
    after === undefined
      ? START
      : { earnedAt: parseTime(after.earnedAt) ?? 0, wallet: standings.find(after.address) };
  // One more, to see whether another page follows.
  const rows = lists.holders({ badge, limit: limit + 1, after: place }, listEndOf(position));
  return mapMaybe(rows, page);

  function page(read: readonly Row[]): BadgeHolders {
    const all = read.slice(0, limit);
    const holders = all.filter(isEarliest).flatMap((row) => {
      const number = Number(row.wallet);
      // The database may be ahead of what is shown.
      if (!standings.hasAward(number, badge)) return [];
      return [{ ...answers.holder(number), earnedAt: formatTime(Number(row.earned_at)) }];
    });
    const last = read.length > limit ? all.at(-1) : undefined;
    const next = last && {
      address: standings.address(Number(last.wallet)),
      earnedAt: formatTime(Number(last.earned_at)),
    };
    return { badge: definition, holders, total: standings.holders(badge), next };
  }
}

/** A badge earned both by an import and by a rule counts from the earlier of the two. */
function isEarliest(
  { wallet, earned_at: at, other_at: other }: Row,
  place: number,
  all: readonly Row[],
) {
  if (other === null) return true;
  const isRepeated = all[place - 1]?.wallet === wallet;
  return Number(at) < Number(other) || (Number(at) === Number(other) && !isRepeated);
}
