import { onTestFinished } from 'vitest';
import type { SourceInput } from '#scoring/inputs/input';
import { SolanaSource } from '#sources/solana/index';
import { fileOf, validRules } from '../rules.ts';
import { inputsFor } from './read-all.ts';
import { keyNamed, type SolanaStandIn } from './solana-chain.ts';

export const PROGRAM = keyNamed('program');

export function inputs(...rules: string[]): SourceInput[] {
  return inputsFor(validRules(fileOf(...rules)).rules.rules);
}

/** A rule about the instructions of a program that begin with `prefix`. */
export function rule(prefix: string, wallet: string, program = PROGRAM): string {
  const id = `r${prefix}${wallet.replace(/\W/g, '').replace('_', '-')}${program.charCodeAt(0)}`;
  return `{id: ${id}, on: {source: sol, program: ${program}, prefix: "${prefix}", since: 1}, wallet: ${wallet}, give: {type: done, points: 1}}`;
}

/** The clock advances ten minutes with each reading, so that no node rests for long. */
export function sourceOf(...nodes: readonly SolanaStandIn[]): SolanaSource {
  return keeping(20_000, ...nodes);
}

/** @param mostHeld how many signatures are kept at most */
export function keeping(mostHeld: number, ...nodes: readonly SolanaStandIn[]): SolanaSource {
  let now = 0;
  const clock = () => {
    now += 600_000;
    return now;
  };
  const options = { id: 'sol', urls: nodes.map(({ url }) => url), now: clock };
  const chain = new SolanaSource(options, mostHeld);
  onTestFinished(() => chain.close());
  return chain;
}
