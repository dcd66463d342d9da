import { count } from '#cli/count';
import { heightText } from '#cli/height';
import {
  doubtfulRules,
  type InputState,
  type RuleSet,
  type RuleTrace,
  type Source,
} from '#scoring';

/**
 * Sentences about rules of a source that have left out events, or have found none.
 * @param states of all inputs
 */
export function traceWords(
  source: Source,
  sets: readonly RuleSet[],
  states: readonly InputState[],
): readonly string[] {
  return doubtfulRules(sets, states)
    .filter((each) => each.source === source.id)
    .map((each) => `Rule ${each.rule.id} ${wordsOf(source, each)}`);
}

function wordsOf(source: Source, { rule, events, leftOut, height }: RuleTrace): string {
  const upTo = `up to ${heightText(source, height)}`;
  if (leftOut === 0) {
    return `has found nothing ${upTo}. Check what it's about, and "since".`;
  }
  const isDeclared = rule.kind === 'event' && rule.trigger.kind === 'evm-event';
  const hint = isDeclared
    ? ' Declare the event as the contract does, "indexed" included; "fathom rules check" compares it with the newest logs.'
    : '';
  return `left out ${count(leftOut)} of ${count(events + leftOut)} events ${upTo}: they don't fit it, or name no wallet.${hint}`;
}
