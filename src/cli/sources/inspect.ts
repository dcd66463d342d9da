import {
  type InputState,
  inputsBySource,
  type RuleSet,
  type Source,
  type SourcePosition,
} from '#scoring';
import { type ProbedNode, probeNodes, repeatedNode } from '#sources';
import { unpaidRules } from './refusals.ts';
import { traceWords } from './traces.ts';

/** The positions of inputs at two moments. */
export interface TwoReadings {
  readonly before: readonly InputState[];
  readonly after: readonly InputState[];
  /** Between them. */
  readonly seconds: number;
}

/** The state of a source, according to the store and its nodes. */
export interface SourceReport {
  readonly source: Source;
  /** The position that all of its inputs have reached; undefined if one hasn't begun. */
  readonly position: SourcePosition | undefined;
  /** The newest final position that any node reports. */
  readonly end: SourcePosition | undefined;
  /** Heights read per second meanwhile. */
  readonly perSecond: number;
  readonly nodes: readonly ProbedNode[];
  /** Two variables with one node. */
  readonly repeated: string | undefined;
  /** Events that were ever left out because they name no wallet or don't fit. */
  readonly leftOut: number;
  /** Rules that give no points, with the reason. */
  readonly refusals: readonly string[];
  /** What of some rules' events was left out, or not found. */
  readonly traces: readonly string[];
}

/** @param sets rules whose sources to inspect */
export async function inspectSource(
  sets: readonly RuleSet[],
  { before, after, seconds }: TwoReadings,
  leftOut: ReadonlyMap<string, number>,
  variable: (name: string) => string | undefined,
): Promise<readonly SourceReport[]> {
  const wanted = inputsBySource(sets);
  const sources = new Map(sets.flatMap(({ sources }) => sources).map((each) => [each.id, each]));
  const reports = [...wanted].map(async ([id, inputs]): Promise<SourceReport[]> => {
    const source = sources.get(id);
    if (source === undefined) return [];
    const nodes = await probeNodes(source, variable);
    const names = new Set(inputs.map(({ name }) => name));
    const own = after.filter((each) => each.source === id && names.has(each.name));
    const heights = new Map(
      before
        .filter((each) => each.source === id)
        .map(({ name, position }) => [name, position.height]),
    );
    const moved = own.map(
      ({ name, position }) => position.height - (heights.get(name) ?? position.height),
    );
    const lowest = own.toSorted((one, other) => one.position.height - other.position.height)[0];
    const ends = nodes.flatMap(({ end }) => end ?? []);
    return [
      {
        source,
        position: own.length < names.size ? undefined : lowest?.position,
        end: ends.toSorted((one, other) => other.height - one.height)[0],
        perSecond: Math.max(0, ...moved) / seconds,
        nodes,
        repeated: repeatedNode(source, variable),
        leftOut: leftOut.get(id) ?? 0,
        refusals: unpaidRules(sets, own).map(({ rules, words }) => `Rule ${rules} ${words}`),
        traces: traceWords(source, sets, own),
      },
    ];
  });
  return (await Promise.all(reports)).flat();
}
