import type { Config } from '#app/config';
import type { Logger } from '#core/logger';
import type { WalletParser } from '#core/wallet';
import { LiveRules } from '#rules/live-rules';
import type { Data } from './data.ts';

/**
 * The rules that turn evidence into scores. @returns undefined with an upstream, which has its own
 */
export function createRules(
  { rulesPath: path }: Config,
  { store, sharing: { replica }, upstream }: Data,
  wallets: WalletParser,
  log: Logger,
): LiveRules | undefined {
  if (upstream !== undefined) return undefined;
  const refresh = () => store.refresh();
  return new LiveRules({ ...{ wallets, replica, log, path, refresh }, store: store.scoring });
}
