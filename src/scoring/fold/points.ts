import { POINTS_MAX } from '#scoring/grammar/give';
import type { Points } from '#scoring/model';
import type { EvidenceEvent } from './event.ts';
import { integerOf } from './matches.ts';

/** An event's worth before caps and discounts. */
export function pointsOf(points: Points, { args }: EvidenceEvent): number {
  if (points.kind === 'fixed') return points.points;
  const { per, each } = points;
  const amount = integerOf(args.get(points.argument));
  if (amount === undefined || amount < per) return 0;
  const worth = (amount / per) * each;
  const most = points.most ?? POINTS_MAX;
  // An imported amount may be anything; the rules were only checked for amounts that a chain can
  // produce.
  if (worth > most) return Number(most);
  if (worth < -POINTS_MAX) return Number(-POINTS_MAX);
  return Number(worth);
}
