import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Config, envFilePath } from '#app';
import {
  type CheckFinding,
  dateOf,
  fail,
  messageOf,
  ok,
  UserError,
  wallSeconds,
  warn,
} from '#base';
import type { CliContext } from '#cli/command';
import { durationText } from '#cli/format';
import type { RunningSource } from '#cli/sources/running-service';
import { openStoreOf } from '#cli/store';
import {
  heightText,
  type InputState,
  inputsBySource,
  type RuleSet,
  requireNewMeaning,
  type ScoreVersion,
  SOURCE_KINDS,
  type Source,
} from '#scoring';
import type { Candidate } from '#scoring/rules-file';
import type { Store } from '#storage';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';

/** The rules file, and what is live beside it. @param hasData whether the database can be opened */
export async function checkRules(
  config: Config,
  context: CliContext,
  hasData: boolean,
): Promise<CheckFinding[]> {
  const { rulesPath: path, upstream } = config;
  if (path === undefined) return upstream === undefined ? unusedFile(context) : [];
  if (upstream !== undefined) {
    return [
      warn('rules', 'RULES is not used beside UPSTREAM_URL, whose own rules hold. Unset it.'),
    ];
  }
  try {
    const { readCandidate } = await import('#scoring/rules-file');
    const candidate = readCandidate(path, createWalletParser(chains));
    const { kept } = candidate;
    const named = `${kept.name} version ${kept.version}`;
    if (config.demo) {
      return [
        warn(
          'rules',
          `${path} is valid (${named}), but demo data has its own rules. Set DATABASE_URL to use yours.`,
        ),
      ];
    }
    if (!hasData) return [ok('rules', `${path} is valid (${named})`)];
    const store = await openStoreOf(config, context);
    try {
      const { unimportedWords } = await import('#cli/rules/idle-rules');
      const idle = unimportedWords(candidate.evaluation.rules, await store.scoring.importedNames());
      return [
        await checkLive(store, candidate, path),
        ...idle.map((words) => warn('rules', words)),
      ];
    } finally {
      await store.close();
    }
  } catch (error) {
    return [fail('rules', messageOf(error))];
  }
}

/** The rules of the file beside the live ones. @throws UserError if they can't go live */
async function checkLive(
  { scoring }: Pick<Store, 'scoring'>,
  candidate: Candidate,
  path: string,
): Promise<CheckFinding> {
  const { hasHash, today } = await import('#scoring/rules-file');
  const { kept } = candidate;
  const named = `${kept.name} version ${kept.version}`;
  const live = await scoring.live();
  if (live === undefined) return ok('rules', `${named} goes live at the next start`);
  if (live.asOf > today()) return warn('rules', aheadOf(live));
  if (live.hash === kept.hash) return ok('rules', `${named} is live`);
  if (hasHash(candidate, live.hash)) {
    return warn(
      'rules',
      `${named} is live as it was applied by an earlier Fathom, so it counts burn addresses that are known by now. Give it a higher version to leave them out.`,
    );
  }
  requireNewMeaning(kept, await scoring.scoreVersions());
  return warn(
    'rules',
    `${live.name} version ${live.version} is live, and ${path} (version ${kept.version}) differs. Make it live with "fathom rules apply ${path}".`,
  );
}

/** An operator with a rules file beside the settings expects it to count. */
function unusedFile({ env }: CliContext): CheckFinding[] {
  const folder = dirname(envFilePath(env));
  if (!existsSync(join(folder, 'rules.yaml'))) return [];
  return [
    warn(
      'rules',
      `${join(folder, 'rules.yaml')} isn't used, as RULES isn't set. If it should count, set RULES=./rules.yaml in .env.`,
    ),
  ];
}

/** The days of a score version only move on: a clock that was ahead has taken them too far. */
function aheadOf({ name, version, asOf }: ScoreVersion): string {
  return `${name} version ${version} is live with the daily steps up to ${dateOf(asOf)}, as a clock was ahead. If this machine's clock is right, apply the rules with a higher version; that takes the steps back.`;
}

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
  const { traceWords, unpaidRules } = await import('#cli/sources/live-rules');
  const refusals = unpaidRules(sets, states);
  const { askService } = await import('#cli/sources/running-service');
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

/** `checkRules` reports errors in the file. */
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
  const { ruleSets } = await import('#cli/sources/live-rules');
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
  const kind = SOURCE_KINDS[source.kind];
  const nodes = await probeNodes(source, variable);
  const findings = nodes.map(({ variable: name, host, end, words }) => {
    const node = host === undefined ? name : `${name} (${host})`;
    if (end === undefined) {
      return fail(subject, words?.includes(name) === true ? words : `${node}: ${words}`);
    }
    const what = kind.hasProviders ? `of ${source.chain}` : `a ${kind.node} of ${kind.label}`;
    const at = `${node} is ${what}; ${kind.newest} ${heightText(source, end.height)}`;
    if (!kind.isNeverQuiet || !isOld(end)) return ok(subject, at);
    return warn(
      subject,
      `${at}, from ${durationText(wallSeconds() - end.time)} ago. Check its sync status.`,
    );
  });
  const repeated = repeatedNode(source, variable);
  if (repeated !== undefined) findings.push(warn(subject, repeated));
  if (nodes.length > 1) return findings;
  const alone = `has a single ${kind.node}, and ${kind.missable} that it leaves out can’t be noticed.`;
  const advice = kind.hasProviders ? ' Name a second one of another provider.' : '';
  return [...findings, warn(subject, `${alone}${advice}`)];
}

/** What the running service says about reading a source. */
export function readingFinding(subject: string, source: RunningSource): CheckFinding {
  const { state, words } = source;
  const why = words ?? 'it says no reason; see its log.';
  switch (state) {
    case 'stopped':
      return fail(subject, `the running service has stopped reading it: ${why}`);
    case 'waiting':
      return warn(subject, `the running service can't read it now: ${why}`);
    case 'standby':
      return ok(subject, 'another replica than the one on this machine reads it');
    default:
      return words === undefined
        ? ok(subject, 'the running service reads it')
        : warn(subject, `the running service reads it. ${words}`);
  }
}
