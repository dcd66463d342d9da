import { sleep } from '#base/waiting';
import type { CliContext } from '#cli/command';
import { count } from '#cli/count';
import { durationText } from '#cli/duration';
import { heightText } from '#cli/height';
import { openStoreOf, requireDatabase } from '#cli/store';
import { formatTable } from '#cli/table';
import { askService, type RunningSource } from './ask-service.ts';
import { inspectSource, type SourceReport } from './inspect.ts';
import { nodeRow } from './node-row.ts';
import { ruleSets } from './rule-sets.ts';

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
    const before = await store.evidence.inputs();
    await sleep(MEASURED_MS);
    const after = await store.evidence.inputs();
    const reports = await inspectSource(
      sets,
      { before, after, seconds: MEASURED_MS / 1_000 },
      await store.evidence.leftOut(),
      (name) => context.env[name],
    );
    if (reports.length === 0) {
      context.stdout.write('No rules need a chain.\n');
      return 0;
    }
    const running = await askService(config);
    if (running === undefined) {
      const { metricsHost, metricsPort } = config;
      context.stderr.write(
        `No service responds at ${metricsHost}:${metricsPort} (METRICS_HOST, METRICS_PORT), so what it found at nodes isn't shown.\n`,
      );
    }
    for (const report of reports) {
      const own = running?.find(({ id }) => id === report.source.id);
      context.stdout.write(describe(report, own));
    }
    return reports.every(({ nodes }) => nodes.some(({ end }) => end !== undefined)) ? 0 : 1;
  } finally {
    await store.close();
  }
}

function nodeWord({ kind }: SourceReport['source']): string {
  return kind === 'snapshot' ? 'hub' : 'node';
}

function describe(report: SourceReport, running: RunningSource | undefined): string {
  const { source, position, end, perSecond, nodes, repeated, leftOut, refusals, traces } = report;
  const left =
    position === undefined || end === undefined ? undefined : end.height - position.height;
  const read =
    position === undefined
      ? 'nothing is read yet'
      : `read to ${heightText(source, position.height)}`;
  const parts = [`${source.id} (${source.chain}): ${read}`];
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
