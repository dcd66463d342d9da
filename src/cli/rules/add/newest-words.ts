import { dateOf, dayOf } from '#base';
import { formatTable } from '#cli/format';
import {
  compileWhere,
  describeEvent,
  type EvidenceEvent,
  pointsOf,
  type RuleSet,
  type ScoringRule,
  type SourceEvent,
  TokenAmount,
  withShortIds,
} from '#scoring';
import { shortAddress } from '#wallet';

/** So many show whether a rule does what was meant. */
const SHOWN = 3;

/**
 * The newest events of a rule with what each would give on its own, as a table.
 * @param newest the newest first
 * @param decimals of the token that's held
 */
export function newestWords(
  { nobody }: RuleSet,
  rule: ScoringRule,
  newest: readonly SourceEvent[],
  decimals: number,
): string {
  const matches = rule.kind === 'event' ? compileWhere(rule.where) : () => true;
  const shown = newest
    .filter(({ wallet }) => !nobody.includes(wallet.address))
    .map((each) => ({ event: asEvidence(each), each }))
    .filter(({ event }) => matches(event))
    .slice(0, SHOWN);
  if (shown.length === 0) return 'No such event among the newest blocks.\n';
  const rows = shown.map(({ event, each }) => {
    const when = event.time > 0 ? dateOf(dayOf(event.time)) : `block ${event.height}`;
    const who = shortAddress(event.wallet.address);
    if (rule.kind === 'hold') return [when, who, moved(each, decimals), ''];
    const points = pointsOf(rule.give.points, event);
    const unit = Math.abs(points) === 1 ? 'point' : 'points';
    return [when, who, `${points} ${unit}`, withShortIds(describeEvent(rule.give, event))];
  });
  return formatTable(rows, 'llrl');
}

function moved({ args }: SourceEvent, decimals: number): string {
  const { amount = '0' } = JSON.parse(args) as { readonly amount?: string };
  const text = new TokenAmount(BigInt(amount), decimals, undefined).digits;
  return text.startsWith('-') ? text : `+${text}`;
}

function asEvidence({ height, place, wallet, time, args }: SourceEvent): EvidenceEvent {
  const values = new Map(Object.entries(JSON.parse(args) as Record<string, string>));
  return { height, place, wallet, time, settled: time, args: values };
}
