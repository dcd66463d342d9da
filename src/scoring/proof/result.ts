import type { SourceEnds } from '#scoring/score-versions/ends';
import type { Evaluation } from '#scoring/score-versions/evaluation';
import type { RuleSum, StoredEvent } from '#scoring/score-versions/score-version';
import type { ResultLine, RulePoints } from './format.ts';

/** What a wallet's score is made of. */
export interface Totals {
  readonly imported: { readonly points: number; readonly count: number };
  readonly sums: readonly RuleSum[];
  /** Rows of rules, including badges; and their points. */
  readonly given: { readonly activities: number; readonly points: number };
}

/** @returns undefined for a wallet without any activity, which has no score */
export function resultOf(
  address: string,
  { imported, sums, given }: Totals,
): ResultLine | undefined {
  if (imported.count + given.activities === 0) return undefined;
  const score = Math.max(0, imported.points + given.points);
  const rules = sums
    .map(
      ({ rule: id, points, events: count, capped, decayed, discounted }): RulePoints => ({
        ...{ id, points, count, capped, decayed, discounted },
      }),
    )
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  return { kind: 'result', address, score, imported, rules };
}

const WORDS = {
  points: 'points',
  count: 'as the number of events',
  capped: 'points beyond the cap',
  decayed: 'points lost to the half-life',
  discounted: 'points lost to discounts',
} as const;

/**
 * The first difference between what the evidence gives and what the file states, as a sentence.
 * @returns undefined if there is none
 */
export function differenceOf(
  address: string,
  computed: ResultLine | undefined,
  said: ResultLine | undefined,
): string | undefined {
  if (computed === undefined || said === undefined) {
    if (computed === said) return undefined;
    return `${address}: the evidence gives ${scoreText(computed)}, but the file says ${scoreText(said)}.`;
  }
  const [twice] = said.rules.filter(
    ({ id }, at) => said.rules.findIndex((each) => each.id === id) < at,
  );
  if (twice !== undefined) return `${address}: the file has rule ${twice.id} twice.`;
  for (const id of new Set([...computed.rules, ...said.rules].map((each) => each.id))) {
    const one = computed.rules.find((each) => each.id === id);
    const other = said.rules.find((each) => each.id === id);
    for (const field of ['points', 'count', 'capped', 'decayed', 'discounted'] as const) {
      const [a, b] = [one?.[field] ?? 0, other?.[field] ?? 0];
      if (a !== b) {
        return `${address}, rule ${id}: the evidence gives ${a} ${WORDS[field]}, but the file says ${b}.`;
      }
    }
  }
  for (const field of ['points', 'count'] as const) {
    const [a, b] = [computed.imported[field], said.imported[field]];
    if (a !== b) {
      return field === 'points'
        ? `${address}: its imported activities give ${a} points, but the file says ${b}.`
        : `${address} has ${a} imported activities, but the file says ${b}.`;
    }
  }
  if (computed.score === said.score) return undefined;
  return `${address}: the evidence gives ${scoreText(computed)}, but the file says ${scoreText(said)}.`;
}

function scoreText(line: ResultLine | undefined): string {
  return line === undefined ? 'no activity' : `a score of ${line.score}`;
}

/**
 * Finds events above the height that their source is complete to: no comparison with the chain would reach them,
 * so they must give no points.
 * @returns says in a sentence what's wrong with an event; undefined if nothing is, or if no rule uses it
 */
export function beyondEnd(
  { inputs }: Pick<Evaluation, 'inputs'>,
  { positions }: SourceEnds,
): (event: Pick<StoredEvent, 'source' | 'input' | 'height'>) => string | undefined {
  const used = new Map(
    [...inputs].map(([source, ofSource]) => [source, new Set(ofSource.map(({ name }) => name))]),
  );
  return ({ source, input, height }) => {
    if (used.get(source)?.has(input) !== true) return undefined;
    const end = positions.get(source);
    if (end === undefined) {
      return `there's an event of ${source}, but nothing says how far ${source} is complete.`;
    }
    if (height <= end.height) return undefined;
    return `there's an event at ${source} ${height}, but ${source} is only complete to ${end.height}.`;
  };
}
