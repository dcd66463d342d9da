import { onTestFinished } from 'vitest';
import type { SourceInput } from '#scoring/inputs/input';
import { AlgorandSource } from '#sources/algorand/index';
import { fileOf, validRules } from '../rules.ts';
import type { IndexerStandIn } from './algorand-chain.ts';
import { inputsFor } from './read-all.ts';

/** The inputs of rules written as in a rules file. */
export function inputs(...rules: string[]): SourceInput[] {
  return inputsFor(validRules(fileOf(...rules)).rules.rules);
}

export function rule(trigger: string, wallet: string): string {
  return `{id: r${trigger.length}${wallet}, on: {source: algo, ${trigger}, since: 1}, wallet: ${wallet}, give: {type: done, points: 1}}`;
}

/** The clock advances ten minutes with each reading, so that no node rests for long. */
export function sourceOf(...nodes: readonly IndexerStandIn[]): AlgorandSource {
  let now = 0;
  const chain = new AlgorandSource({
    id: 'algo',
    urls: nodes.map(({ url }) => url),
    now: () => {
      now += 600_000;
      return now;
    },
  });
  onTestFinished(() => chain.close());
  return chain;
}
