import { dayOf } from '#base';
import type { EventRule } from '#scoring/model';
import type { EvidenceEvent } from './event.ts';
import { describeEvent, reasons, withReasons } from './ledger-text.ts';
import type { ScoredRow } from './row.ts';
import type { FoldOptions } from './rule-fold.ts';

/** The row of an event that was retracted: the same activity, without points and with the reason. */
export function retractedRow(
  rule: EventRule,
  event: EvidenceEvent,
  reason: string,
  { hasTexts }: FoldOptions = { hasTexts: true },
): ScoredRow {
  const { give, id, source } = rule;
  return {
    rule: id,
    source: hasTexts ? `${id}:${source}:${event.place}` : '',
    wallet: event.wallet,
    type: give.type,
    description: hasTexts
      ? withReasons(describeEvent(give, event), [reasons.retracted(reason)])
      : '',
    points: 0,
    timestamp: event.time,
    step: dayOf(event.settled),
    badge: undefined,
    isRetracted: true,
    capped: 0,
    discounted: 0,
    decayed: 0,
  };
}
