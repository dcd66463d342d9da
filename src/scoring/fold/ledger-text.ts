import { UNFIT } from '#base';
import { RULE_POINTS_MAX } from '#scoring/grammar/give';
import type { Give } from '#scoring/model';
import { type EvidenceEvent, textOf } from './event.ts';

/** Maximum characters of a description, as for imports. */
const DESCRIPTION_MAX = 1_000;
const PLACEHOLDER = /\{([^{}]*)\}/g;
const INTEGER = /^-?\d{1,100}$/;

/**
 * An activity's description: the rule's text with the event's values, or its type. An amount that the rule says as
 * people do is said like that.
 */
export function describeEvent(give: Give, event: EvidenceEvent | undefined): string {
  const template = give.text ?? give.type.replaceAll('_', ' ');
  return template.replace(PLACEHOLDER, (_, name: string) => {
    const value = event?.args.get(name);
    if (value === undefined) return '';
    const text = textOf(value).replace(UNFIT, '');
    const amount = INTEGER.test(text) ? give.amounts?.get(name) : undefined;
    return amount?.of(BigInt(text)).text ?? text;
  });
}

/**
 * A description with the reasons why its points differ from the rule's, truncated so that the
 * reasons always fit.
 */
export function withReasons(description: string, reasons: readonly string[]): string {
  const tail = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`;
  const room = DESCRIPTION_MAX - [...tail].length;
  const characters = [...description];
  const head =
    characters.length > room ? `${characters.slice(0, room - 1).join('')}…` : description;
  return head + tail;
}

/** Reasons as the ledger has them: in English everywhere, so that it's the same on every machine. */
export const reasons = {
  cap: (points: number, worth: number) => `cap reached: ${points} of ${worth}`,
  limit: (points: number, worth: number) =>
    `limit of ${RULE_POINTS_MAX} points by a rule reached: ${points} of ${worth}`,
  // In brackets, so that the reasons' own parentheses end with the last one.
  retracted: (reason: string) => `retracted: ${reason.replaceAll('(', '[').replaceAll(')', ']')}`,
  discount: (id: string, factor: number) => `${id}: ${factor / 10} %`,
  halfLife: (rule: string, days: number) => `Half-life of ${days} days: ${rule}`,
  restored: (rule: string, ids: readonly string[]) =>
    `No longer held back (${ids.join(', ')}): ${rule}`,
};
