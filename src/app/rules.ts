import { Gauge } from 'prom-client';
import type { Config } from '#app/config';
import type { Logger } from '#core/logger';
import type { WalletParser } from '#core/wallet';
import { LiveRules } from '#rules/live-rules';
import type { Data } from './data.ts';
import type { Unscored } from './unscored.ts';

/**
 * The rules that turn evidence into scores. @returns undefined with an upstream, which has its own
 */
export function createRules(
  { rulesPath: path }: Config,
  { store, sharing: { replica }, upstream, metrics }: Data,
  unscored: Pick<Unscored, 'mark' | 'isHeard'>,
  wallets: WalletParser,
  log: Logger,
): LiveRules | undefined {
  if (upstream !== undefined) return undefined;
  const refresh = () => store.refresh();
  const rules = new LiveRules({
    ...{ wallets, replica, log, path, refresh },
    store: store.scoring,
    markUnscored: (isUnscored) => unscored.mark('rules', isUnscored),
    isUnscoredElsewhere: () => unscored.isHeard('rules'),
  });
  new Gauge({
    name: 'fathom_rules_up',
    help: '1 while all evidence is scored by the live rules, 0 while it is not.',
    registers: [metrics.registry],
    collect() {
      this.reset();
      if (rules.status() === undefined) this.remove();
      else this.set(Number(!rules.isUnscored));
    },
  });
  return rules;
}
