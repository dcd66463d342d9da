import { differsFromChain, type InputState, inputsOf, type RuleSet } from '#scoring';
import { howToLift } from '#sources';

/** Rules that give no points, since balances weren't the chain's. */
interface Refusal {
  readonly source: string;
  /** Their ids: `lp`, or `lp or lp-large`. */
  readonly rules: string;
  /** Why, and what to do. */
  readonly words: string;
}

/** @param states of all inputs */
export function unpaidRules(
  sets: readonly RuleSet[],
  states: readonly InputState[],
): readonly Refusal[] {
  return states.filter(differsFromChain).flatMap(({ source, name, verdict }): Refusal[] => {
    const rules = idsOfRules(sets, source, name);
    if (rules === '') return [];
    return [{ source, rules, words: `gives no points: ${verdict} ${howToLift(source)}` }];
  });
}

/** The ids of the rules that need an input: `lp`, or `lp or lp-large`; '' if none does. */
export function idsOfRules(sets: readonly RuleSet[], source: string, input: string): string {
  const ids = sets
    .flatMap(({ rules }) => rules)
    .filter((rule) => rule.source === source)
    .filter((rule) => inputsOf(rule).some(({ name }) => name === input))
    .map(({ id }) => id);
  return [...new Set(ids)].join(' or ');
}
