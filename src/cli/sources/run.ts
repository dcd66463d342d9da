import { UserError, wallSeconds } from '#base';
import { sleep } from '#base/waiting';
import type { CliContext } from '#cli/command';
import { count, durationText, formatTable } from '#cli/format';
import { waitingFor } from '#cli/progress';
import { openStoreOf, requireDatabase } from '#cli/store';
import {
  heightText,
  type InputState,
  inputsBySource,
  type RuleSet,
  SOURCE_KINDS,
  type Source,
  type SourcePosition,
} from '#scoring';
import { type ProbedNode, probeNodes, repeatedNode } from '#sources';
import { idsOfRules, ruleSets, traceWords, unpaidRules } from './live-rules.ts';
import { askService, type RunningNode, type RunningSource } from './running-service.ts';

/** How long to measure the pace of a running service. */
const MEASURED_MS = 3_000;

const LABELS: ReadonlyMap<string, string> = new Map([
  ['stopped', 'Stopped'],
  ['waiting', 'Waiting'],
]);

/** @returns the exit code */
export async function runSources(context: CliContext): Promise<number> {
  const config = requireDatabase(context, 'This command');
  const store = await openStoreOf(config, context);
  try {
    const sets = await ruleSets(store, config.rulesPath, (message) => {
      context.stderr.write(`RULES: ${message}\n`);
    });
    const [before, after] = await waitingFor('how fast sources are read', async () => {
      const first = await store.evidence.inputs();
      await sleep(MEASURED_MS);
      return [first, await store.evidence.inputs()];
    });
    const leftOut = await store.evidence.leftOut();
    const readings = { before, after, seconds: MEASURED_MS / 1_000 };
    const reports = await waitingFor('the nodes of sources', () =>
      inspectSource(sets, readings, leftOut, (name) => context.env[name]),
    );
    if (reports.length === 0) {
      context.stdout.write('No rules need a chain.\n');
      return 0;
    }
    const running = await waitingFor('the running service', () => askService(config));
    if (running === undefined) {
      const { metricsHost, metricsPort } = config;
      context.stderr.write(
        `No service responds at ${metricsHost}:${metricsPort} (METRICS_HOST, METRICS_PORT), so node details are unavailable.\n`,
      );
    }
    for (const report of reports) {
      const own = running?.find(({ id }) => id === report.source.id);
      context.stdout.write(sourceReportText(report, own));
    }
    return reports.every(({ nodes }) => nodes.some(({ end }) => end !== undefined)) ? 0 : 1;
  } finally {
    await store.close();
  }
}

function nodeWord({ kind }: SourceReport['source']): string {
  return SOURCE_KINDS[kind].node;
}

/** @param running what the running service says; undefined if none runs */
export function sourceReportText(report: SourceReport, running: RunningSource | undefined): string {
  const { source, position, unbegun, end, perSecond, nodes, repeated, leftOut, refusals, traces } =
    report;
  const left =
    position === undefined || end === undefined ? undefined : end.height - position.height;
  const read =
    position === undefined
      ? 'nothing is read yet'
      : `read to ${heightText(source, position.height)}`;
  const parts = [`${source.id} (${source.chain}): ${read}`];
  if (position !== undefined && unbegun > 0) parts.push("except for rules that haven't begun");
  if (end !== undefined) parts.push(`the end is ${heightText(source, end.height)}`);
  if (left !== undefined && end !== undefined && position !== undefined) {
    parts.push(
      left < 0 ? 'which is less' : `${durationText(Math.max(0, end.time - position.time))} behind`,
    );
  }
  if (perSecond > 0) parts.push(`${Math.round(perSecond)} a second`);
  if (perSecond > 0 && left !== undefined && left > 0)
    parts.push(`${durationText(left / perSecond)} left`);
  const words = running?.words;
  const notes = [
    ...(words === undefined
      ? []
      : [`  ${LABELS.get(running?.state ?? '') ?? 'Warning'}: ${words}`]),
    ...(leftOut > 0
      ? [
          `  Events left out, because they name no wallet or don't fit what a rule declares: ${count(leftOut)}`,
        ]
      : []),
    ...(nodes.length === 1
      ? [`  A single ${nodeWord(source)}: missing events would go unnoticed.`]
      : []),
    ...(repeated === undefined ? [] : [`  ${repeated}`]),
    ...[...refusals, ...traces].map((each) => `  ${each}`),
  ];
  const rows = nodes.map((node) =>
    nodeRow(
      source,
      node,
      running?.nodes.find(({ variable }) => variable === node.variable),
    ),
  );
  return [
    `${parts.join(', ')}\n`,
    ...notes.map((each) => `${each}\n`),
    formatTable(rows, 'llll'),
  ].join('');
}

/** `sources check-again` @returns the exit code */
export async function runCheckAgain(source: string, context: CliContext): Promise<number> {
  const config = requireDatabase(context, 'This command');
  const store = await openStoreOf(config, context);
  try {
    const states = await store.evidence.inputs();
    const known = new Set(states.map((each) => each.source));
    if (!known.has(source)) {
      const names = known.size === 0 ? 'none' : [...known].join(', ');
      throw new UserError('wrong-usage', `No source "${source}" has been read. Sources: ${names}.`);
    }
    const sets = await ruleSets(store, config.rulesPath, () => undefined);
    const inputs = await store.evidence.forgetRefusals(source);
    if (inputs.length === 0) {
      context.stdout.write(`All balances of ${source} that were compared are the chain's own.\n`);
      return 0;
    }
    for (const input of inputs) {
      const rules = idsOfRules(sets, source, input);
      const needed = rules === '' ? 'no rule needs it' : `rule ${rules}`;
      context.stdout.write(`${source}: ${input} (${needed})\n`);
    }
    context.stderr.write(
      'The service compares these balances with the chain again once it has read to its end. Until then they give no points.\n',
    );
    return 0;
  } finally {
    await store.close();
  }
}

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
  /** The position that all inputs that have begun have reached; undefined if none has. */
  readonly position: SourcePosition | undefined;
  /** How many inputs haven't. */
  readonly unbegun: number;
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
    // Before the first block there's none.
    const isBegun = (lowest?.position.height ?? -1) >= 0;
    const ends = nodes.flatMap(({ end }) => end ?? []);
    return [
      {
        source,
        position: isBegun ? lowest?.position : undefined,
        unbegun: names.size - own.length,
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

/**
 * A node's row in the table of a source: its variable, its host, and what is known about it.
 * @param found what the running service found; undefined if none runs
 */
export function nodeRow(
  source: Source,
  { variable, host = '', end, words }: ProbedNode,
  found: RunningNode | undefined,
): readonly string[] {
  const state =
    end === undefined
      ? (words ?? '')
      : `at ${heightText(source, end.height)}, ${durationText(wallSeconds() - end.time)} old`;
  const limit = found?.widest === undefined ? '' : `, up to ${found.widest} at once`;
  // Its name stands in the columns before.
  const first = `${state}${limit}`.replace(`${variable} (${host}) `, '');
  const fault = found?.lastFault;
  // The service and the check just now may have found the same.
  if (fault === undefined || fault === words) return ['', variable, host, first];
  const sentence = first.endsWith('.') ? first : `${first}.`;
  return ['', variable, host, `${sentence} Last fault: ${fault}`];
}
