import { DAY_SECONDS } from '#base';
import type { RuleSet, ScoringRule, Start } from '#scoring/model';
import { inputsOf } from './input.ts';
import type { InputState, SourcePosition } from './store.ts';

/** What of a rule's events was found, as far as its chain has been read. */
export interface RuleTrace {
  readonly source: string;
  readonly rule: ScoringRule;
  readonly events: number;
  /** Events that name no wallet or don't fit what the rule declares. */
  readonly leftOut: number;
  /** The height up to which all of its inputs are read. */
  readonly height: number;
}

/**
 * Rules that may be about something else than they say: they have left out events, or have found none at all.
 * @param states of all inputs; rules whose inputs haven't all begun are skipped
 */
export function doubtfulRules(
  sets: readonly Pick<RuleSet, 'rules'>[],
  states: readonly InputState[],
): readonly RuleTrace[] {
  const known = new Map(states.map((each) => [keyOf(each.source, each.name), each]));
  const seen = new Set<string>();
  return sets
    .flatMap(({ rules }) => rules)
    .flatMap((rule): RuleTrace[] => {
      const inputs = inputsOf(rule);
      const own = inputs.flatMap(({ source, name, since }) => {
        const state = known.get(keyOf(source, name));
        return state === undefined || isBefore(state.position, since) ? [] : [state];
      });
      const key = [rule.id, ...inputs.map(({ name }) => name)].join('\n');
      if (own.length === 0 || own.length < inputs.length || seen.has(key)) return [];
      seen.add(key);
      const events = own.reduce((sum, each) => sum + each.events, 0);
      const leftOut = own.reduce((sum, each) => sum + each.leftOut, 0);
      if (events > 0 && leftOut === 0) return [];
      const height = Math.min(...own.map(({ position }) => position.height));
      return [{ source: rule.source, rule, events, leftOut, height }];
    });
}

/** Whether nothing is read yet. */
function isBefore({ height, time }: SourcePosition, since: Start): boolean {
  return since.kind === 'height' ? height < since.height : time < since.day * DAY_SECONDS;
}

function keyOf(source: string, name: string): string {
  return `${source} ${name}`;
}
