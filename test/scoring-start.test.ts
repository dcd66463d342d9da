import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import type { Config } from '#app/config';
import type { DataSources } from '#app/data/data-sources';
import { createScoring } from '#app/scoring/index';
import { soleReplica } from '#cluster/memory-work';
import { openQuietly } from './support/filled-store.ts';
import { silentLog } from './support/log.ts';
import { rulesText, ScoredStore, TODAY, workshop } from './support/scoring.ts';

/** What is reported before anything has begun, as a service does before its first answer. */
async function reportedAtStart(
  rulesPath: string | undefined,
  {
    rules,
    isRead = false,
    demo = false,
  }: { rules?: string; isRead?: boolean; demo?: boolean } = {},
): Promise<unknown[]> {
  const position = { height: 1, hash: null, time: 1 };
  const store = await openQuietly('sqlite::memory:');
  if (rules !== undefined) await new ScoredStore(store, TODAY).apply(rules);
  if (isRead)
    await store.evidence.begin({ id: 'eth', chain: 'eip155:1' }, [{ name: 'a', position }]);
  onTestFinished(async () => await store.close());
  const reports: unknown[] = [];
  const config = { rulesPath, demo, databaseUrl: 'sqlite:./not-opened.db' } as Config;
  const data = {
    ...{ store, cluster: { replica: soleReplica(silentLog) }, upstream: undefined },
    metrics: { registry: new Registry() },
  } as unknown as DataSources;
  const unscored = {
    report: (...how: unknown[]) => void reports.push(how),
    elsewhere: () => undefined,
  };
  await createScoring(config, data, unscored, silentLog);
  return reports;
}

it('The service is partial from the first answer on if there is a rules file, or live rules may need chains', async () => {
  const partial = [['sources', new Map(), true]];
  expect(await reportedAtStart('./rules.yaml')).toEqual(partial);
  const rules = rulesText([workshop]);
  expect(await reportedAtStart(undefined, { rules, isRead: true })).toEqual(partial);
  // Imports are all there.
  expect(await reportedAtStart(undefined, { rules })).toEqual([]);
  expect(await reportedAtStart(undefined, { isRead: true })).toEqual([]);
  expect(await reportedAtStart(undefined)).toEqual([]);
});

it('The service reads no chain for a rules file beside demo data, which has its own rules', async () => {
  expect(await reportedAtStart('./rules.yaml', { demo: true })).toEqual([]);
});
