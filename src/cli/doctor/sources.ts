import type { Config } from '#app/config';
import { chains } from '#chains/index';
import { wallSeconds } from '#core/clock';
import { UserError } from '#core/errors';
import type { Source } from '#core/scoring/model';
import { createWalletParser } from '#core/wallet';
import { type CheckFinding, fail, ok, warn } from '#runtime/finding';
import type { CliContext } from '../command.ts';
import { heightText } from '../height.ts';

/** Chains are minutes behind at most, where finality takes that long; a day is a node that stands still. */
const OLD_SECONDS = 86_400;

/** Each node of each source that the rules file needs. */
export async function checkSources(
  { rulesPath: path, upstream }: Config,
  { env }: CliContext,
): Promise<CheckFinding[]> {
  if (path === undefined || upstream !== undefined) return [];
  const sources = await neededSources(path);
  const findings = sources.map((source) => checkSource(source, (name) => env[name]));
  return (await Promise.all(findings)).flat();
}

async function neededSources(path: string): Promise<readonly Source[]> {
  const { readCandidate } = await import('#rules/candidate');
  try {
    const { rules, inputs } = readCandidate(path, createWalletParser(chains)).evaluation;
    return rules.sources.filter(({ id }) => inputs.has(id));
  } catch (error) {
    // What is wrong with the file is a finding of its own.
    if (error instanceof UserError) return [];
    throw error;
  }
}

async function checkSource(
  source: Source,
  variable: (name: string) => string | undefined,
): Promise<CheckFinding[]> {
  const { probeNodes } = await import('#sources/probe');
  const subject = `source ${source.id}`;
  const nodes = await probeNodes(source, variable);
  const findings = nodes.map(({ variable: name, host, end, words }) => {
    const node = host === undefined ? name : `${name} (${host})`;
    if (end === undefined) return fail(subject, `${node}: ${words}`);
    const age = wallSeconds() - end.time;
    const at = `${node} is of ${source.chain}; its newest final height is ${heightText(source, end.height)}`;
    if (age < OLD_SECONDS) return ok(subject, at);
    return warn(
      subject,
      `${at}, from ${Math.floor(age / 3_600)} hours ago. Check its sync status.`,
    );
  });
  if (nodes.length > 1) return findings;
  const alone =
    'has a single node, and a log that it leaves out can’t be noticed. Name a second one of another provider.';
  return [...findings, warn(subject, alone)];
}
