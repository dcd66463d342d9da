import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { soleReplica } from '#cluster/memory-work';
import { LiveRules } from '#scoring/rules-file/live-rules';
import { chains } from '#wallet/chains/index';
import { createWalletParser, type WalletParser } from '#wallet/wallet';
import { untilPasses } from '../../support/eventually.ts';
import { openQuietly } from '../../support/filled-store.ts';
import { temporaryFolder } from '../../support/import-cli.ts';
import { addressOf } from '../../support/import-lines.ts';
import { silentLog } from '../../support/log.ts';
import { rulesText, workshop } from '../../support/scoring.ts';

/** Counts addresses in each turn of the event loop. */
function countedParser() {
  const counts: number[] = [0];
  let isOver = false;
  const nextTurn = () => {
    counts.push(0);
    if (!isOver) setImmediate(nextTurn);
  };
  nextTurn();
  onTestFinished(() => {
    isOver = true;
  });
  const parser = createWalletParser(chains);
  const wallets: WalletParser = {
    hasForm: (text) => parser.hasForm(text),
    parse(text, expected) {
      const last = counts.length - 1;
      counts[last] = (counts[last] ?? 0) + 1;
      return parser.parse(text, expected);
    },
  };
  return { wallets, counts };
}

it('A long list is read with turns for others in between, so that heartbeats go on', async () => {
  const folder = temporaryFolder();
  const store = await openQuietly('sqlite::memory:');
  const replica = soleReplica(silentLog);
  await replica.begin();
  onTestFinished(async () => {
    await replica.stop();
    await store.close();
  });
  const addresses = Array.from({ length: 2_000 }, (_, number) => addressOf('ethereum', number));
  writeFileSync(join(folder, 'list.csv'), addresses.join('\n'));
  const more = 'discounts: [{id: known, list: ./list.csv, factor: 0}]\n';
  writeFileSync(join(folder, 'rules.yaml'), rulesText([workshop], { more }));
  // From the file, then from the store.
  for (const path of [join(folder, 'rules.yaml'), undefined]) {
    const { wallets, counts } = countedParser();
    const rules = new LiveRules({
      ...{ path, store: store.scoring, wallets, replica, log: silentLog },
      ...{ pollMs: 5, fileMs: 0, report: () => undefined, refresh: () => store.refresh() },
    });
    rules.begin();
    await untilPasses(() => expect(rules.wanted().live).toBeDefined());
    await rules.stop();
    expect(counts.reduce((sum, each) => sum + each)).toBe(addresses.length);
    expect(Math.max(...counts)).toBeLessThanOrEqual(500);
  }
});
