import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { soleReplica } from '#cluster/memory-work';
import { applyRules } from '#scoring/rules-file/apply';
import { readCandidate } from '#scoring/rules-file/candidate';
import { LiveRules } from '#scoring/rules-file/live-rules';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { openQuietly } from '../../support/filled-store.ts';
import { silentLog } from '../../support/log.ts';
import { patienceMs } from '../../support/patience.ts';
import { rulesText, workshop } from '../../support/scoring.ts';

const wallets = createWalletParser(chains);
const named = (title: string) => rulesText([workshop.replace('{id', `{title: ${title}, id`)]);

/** An in-memory store, and a file of rules. */
async function place() {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-rules-'));
  const path = join(folder, 'rules.yaml');
  const store = await openQuietly('sqlite::memory:');
  const write = (text: string) => writeFileSync(path, text);
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const { scoring } = store;
  const shown = async () => scoring.rulesText((await scoring.live())?.number ?? 0);
  return { path, store, scoring, write, shown };
}

it('The service shows another title of a rule without another score version, and once it starts again', async () => {
  const { path, store, scoring, write, shown } = await place();
  const replica = soleReplica(silentLog);
  await replica.begin();
  onTestFinished(() => replica.stop());
  const reword = vi.spyOn(scoring, 'reword');
  const start = () => {
    const rules = new LiveRules({
      ...{ path, wallets, replica, store: scoring, log: silentLog, pollMs: 5, fileMs: 0 },
      ...{ report: () => undefined, refresh: () => store.refresh() },
    });
    rules.begin();
    return rules;
  };
  const until = (check: () => unknown) =>
    vi.waitFor(check, { timeout: patienceMs(60_000), interval: 20 });
  write(named('Came'));
  const first = start();
  await until(async () => expect(await shown()).toBe(named('Came')));
  const live = await scoring.live();
  write(named('Took part'));
  await until(async () => expect(await shown()).toBe(named('Took part')));
  expect((await scoring.live())?.number).toBe(live?.number);
  expect(first.status()).toEqual({ ok: true, detail: 'test version 1' });
  await first.stop();
  write(named('Joined'));
  reword.mockClear();
  const second = start();
  await until(async () => expect(await shown()).toBe(named('Joined')));
  await until(() => expect(second.status()?.detail).toBe('test version 1'));
  await second.stop();
  expect(reword).toHaveBeenCalledTimes(1);
});

it('Applying rules that are live already brings their titles', async () => {
  const { path, scoring, write, shown } = await place();
  const { signal } = new AbortController();
  const apply = (text: string) => {
    write(text);
    return applyRules(readCandidate(path, wallets), { store: scoring, signal });
  };
  await apply(named('Came'));
  expect(await apply(named('Took part'))).toBeUndefined();
  expect(await shown()).toBe(named('Took part'));
});
