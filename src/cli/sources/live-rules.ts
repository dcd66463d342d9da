import { UserError } from '#base';
import { count, counted } from '#cli/format';
import {
  differsFromChain,
  doubtfulRules,
  heightText,
  type InputState,
  inputsOf,
  type RuleSet,
  type RuleTrace,
  SOURCE_KINDS,
  type Source,
} from '#scoring';
import { type Candidate, keptCandidate, readCandidate } from '#scoring/rules-file';
import { howToLift } from '#sources';
import type { Store } from '#storage';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';

/**
 * The rules whose sources a service reads: the live ones, and those of the file.
 * @param onFault called if the file is invalid
 */
export async function ruleSets(
  { scoring }: Pick<Store, 'scoring'>,
  path: string | undefined,
  onFault: (message: string) => void,
): Promise<readonly RuleSet[]> {
  const wallets = createWalletParser(chains);
  const live = await scoring.live();
  const kept = live && (await scoring.rules(live.number));
  const candidates: Candidate[] = kept === undefined ? [] : [keptCandidate(kept, wallets)];
  if (path !== undefined) {
    try {
      candidates.push(readCandidate(path, wallets));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      onFault(error.message);
    }
  }
  return candidates.map(({ evaluation }) => evaluation.rules);
}

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
    const hint =
      source.kind === 'evm'
        ? ' "fathom rules check" looks at the contract, also behind a proxy.'
        : '';
    return `has found nothing ${upTo}. Check what it's about, and "since".${hint}`;
  }
  const isDeclared = rule.kind === 'event' && rule.trigger.kind === 'evm-event';
  const hint = isDeclared
    ? ' Declare the event as the contract does, "indexed" included; "fathom rules check" compares it with the newest logs.'
    : '';
  const why = SOURCE_KINDS[source.kind].whyLeftOut;
  return `left out ${count(leftOut)} of ${counted(events + leftOut, 'event', 'events')} ${upTo}: ${why}${hint}`;
}
