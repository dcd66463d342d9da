import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Logger } from '#base/log';
import { soleReplica } from '#cluster/memory-work';
import type { WorkHealth } from '#cluster/notices';
import { LiveRules, type LiveRulesOptions } from '#scoring/rules-file/live-rules';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { openQuietly } from './filled-store.ts';
import { batchOf, ETH_A, eventOf, writeTo } from './ledger.ts';
import { silentLog } from './log.ts';

/** An in-memory store whose rules are followed, and a file to write them to. */
export async function followedRules() {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-rules-'));
  const path = join(folder, 'rules.yaml');
  const store = await openQuietly('sqlite::memory:');
  const source = await store.openSource();
  const replica = soleReplica(silentLog);
  const said: string[] = [];
  const say = (_: unknown, message: string) => void said.push(message);
  const log: Logger = { ...silentLog, info: say, warn: say, error: say };
  await replica.begin();
  const start = (file: string | undefined = path, change: Partial<LiveRulesOptions> = {}) => {
    const wallets = createWalletParser(chains);
    const report = (health: WorkHealth) => store.markUnscored('rules', health === 'fails');
    const rules = new LiveRules({
      ...{ report, failingMs: 0, path: file, store: store.scoring, wallets, replica, log },
      ...{ refresh: () => store.refresh(), pollMs: 5, fileMs: 0 },
      ...change,
    });
    rules.begin();
    return rules;
  };
  onTestFinished(async () => {
    await replica.stop();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return {
    ...{ store, source, start, said },
    write: (text: string) => writeFileSync(path, text),
    writeList: (text: string) => writeFileSync(join(folder, 'list.csv'), text),
    add: (key: string) => writeTo(store, batchOf({ events: [eventOf(ETH_A, key)] })),
    score: async () => (await source.reading().reputation(ETH_A))?.score,
  };
}
