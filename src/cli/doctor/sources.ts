import type { Config } from '#app';
import { type CheckFinding, fail, ok, UserError, wallSeconds, warn } from '#base';
import type { CliContext } from '#cli/command';
import { durationText } from '#cli/duration';
import { heightText } from '#cli/height';
import { openStoreOf } from '#cli/store';
import { type InputState, inputsBySource, type RuleSet, type Source } from '#scoring';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { readingFinding } from './source-reading.ts';

interface Needs {
  /** The live rules, and those of the file. */
  readonly sets: readonly RuleSet[];
  /** What is stored about their inputs. */
  readonly states: readonly InputState[];
}

/**
 * Each source that the rules need: its nodes, what the running service says of reading it, and rules whose
 * balances weren't the chain's.
 * @param hasData whether the database can be opened
 */
export async function checkSources(
  config: Config,
  context: CliContext,
  hasData: boolean,
): Promise<CheckFinding[]> {
  if (config.rulesPath === undefined || config.upstream !== undefined) return [];
  const { sets, states } = hasData ? await kept(config, context) : await ofFile(config.rulesPath);
  const wanted = inputsBySource(sets);
  const sources = new Map(sets.flatMap((set) => set.sources).map((each) => [each.id, each]));
  const needed = [...sources.values()].filter(({ id }) => wanted.has(id));
  if (needed.length === 0) return [];
  const { unpaidRules } = await import('#cli/sources/refusals');
  const { traceWords } = await import('#cli/sources/traces');
  const refusals = unpaidRules(sets, states);
  const { askService } = await import('#cli/sources/ask-service');
  const running = await askService(config);
  const { metricsHost, metricsPort } = config;
  const unknown = ok(
    'sources',
    `no service responds at ${metricsHost}:${metricsPort} (METRICS_HOST, METRICS_PORT), so whether they are being read isn't known`,
  );
  const findings = needed.map(async (source) => {
    const own = running?.find(({ id }) => id === source.id);
    const subject = `source ${source.id}`;
    return [
      ...(own === undefined ? [] : [readingFinding(subject, own)]),
      ...refusals
        .filter((each) => each.source === source.id)
        .map(({ rules, words }) => fail(subject, `rule ${rules} ${words}`)),
      ...traceWords(source, sets, states).map((words) => warn(subject, words)),
      ...(await checkNodes(subject, source, (name) => context.env[name])),
    ];
  });
  return [...(running === undefined ? [unknown] : []), ...(await Promise.all(findings)).flat()];
}

/** The variables of the nodes and hubs that the rules file names. */
export async function nodeVariables({ rulesPath, upstream }: Config): Promise<readonly string[]> {
  if (rulesPath === undefined || upstream !== undefined) return [];
  const { sets } = await ofFile(rulesPath);
  return sets.flatMap((set) => set.sources).flatMap(({ variables }) => variables);
}

/** What is wrong with the file is a finding of its own. */
async function ofFile(path: string): Promise<Needs> {
  const { readCandidate } = await import('#scoring/rules-file');
  try {
    const { rules } = readCandidate(path, createWalletParser(chains)).evaluation;
    return { sets: [rules], states: [] };
  } catch (error) {
    if (error instanceof UserError) return { sets: [], states: [] };
    throw error;
  }
}

async function kept(config: Config, context: CliContext): Promise<Needs> {
  const { ruleSets } = await import('#cli/sources/rule-sets');
  const store = await openStoreOf(config, context);
  try {
    const sets = await ruleSets(store, config.rulesPath, () => undefined);
    return { sets, states: await store.evidence.inputs() };
  } finally {
    await store.close();
  }
}

async function checkNodes(
  subject: string,
  source: Source,
  variable: (name: string) => string | undefined,
): Promise<CheckFinding[]> {
  const { probeNodes } = await import('#sources');
  const { isOld } = await import('#sources');
  const { repeatedNode } = await import('#sources');
  const nodes = await probeNodes(source, variable);
  const findings = nodes.map(({ variable: name, host, end, words }) => {
    const node = host === undefined ? name : `${name} (${host})`;
    if (end === undefined) {
      return fail(subject, words?.includes(name) === true ? words : `${node}: ${words}`);
    }
    const at = `${node} is of ${source.chain}; its newest final height is ${heightText(source, end.height)}`;
    if (!isOld(end)) return ok(subject, at);
    return warn(
      subject,
      `${at}, from ${durationText(wallSeconds() - end.time)} ago. Check its sync status.`,
    );
  });
  const repeated = repeatedNode(source, variable);
  if (repeated !== undefined) findings.push(warn(subject, repeated));
  if (nodes.length > 1) return findings;
  // There may be no second hub.
  const alone =
    source.kind === 'snapshot'
      ? 'has a single hub, and a vote that it leaves out can’t be noticed.'
      : 'has a single node, and an event that it leaves out can’t be noticed. Name a second one of another provider.';
  return [...findings, warn(subject, alone)];
}
