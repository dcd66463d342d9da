import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import type { Config } from '#app/config';
import type { DataSources } from '#app/data/data-sources';
import { ScoringEngine, type ScoringRunner } from '#app/scoring/engine';
import { addScoringMetrics, createScoring } from '#app/scoring/index';
import { soleReplica } from '#cluster/memory-work';
import { untilPasses } from './support/eventually.ts';
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

it('The metric of rules is 0 while the file is broken and none are live, as nothing scores evidence', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-rules-'));
  const path = join(folder, 'rules.yaml');
  writeFileSync(path, 'fathom: 1\nnaem: x');
  const store = await openQuietly('sqlite::memory:');
  const replica = soleReplica(silentLog);
  await replica.begin();
  const scoring = new ScoringEngine({
    ...{ path, store, replica, log: silentLog },
    ...{ report: () => undefined, refresh: async () => undefined },
  });
  onTestFinished(async () => {
    await scoring.stop();
    await replica.stop();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const registry = new Registry();
  addScoringMetrics(registry, scoring);
  scoring.begin();
  await untilPasses(() =>
    expect(scoring.state()).toMatchObject({ rules: { ok: false }, isUnscored: false }),
  );
  const text = await registry.getSingleMetricAsString('fathom_rules_up');
  expect(text).toMatch(/^fathom_rules_up 0$/m);
});

it('Requests to two nodes of one host are added up, as of one provider that is named with two keys', async () => {
  const registry = new Registry();
  const nodes = [
    { host: 'rpc.example', requests: 5, failures: 1 },
    { host: 'rpc.example', requests: 2, failures: 0 },
  ];
  const state = { rules: undefined, isUnscored: false, sources: [{ id: 'eth', nodes }] };
  const scoring = { state: () => state, begin: () => {}, stop: async () => {} };
  addScoringMetrics(registry, scoring as unknown as ScoringRunner);
  const name = 'fathom_source_node_requests';
  // Each scrape begins anew.
  await registry.getSingleMetricAsString(name);
  const text = await registry.getSingleMetricAsString(name);
  const labels = 'source="eth",host="rpc.example"';
  expect(text).toContain(`${name}{${labels},outcome="all"} 7\n`);
  expect(text).toContain(`${name}{${labels},outcome="failed"} 1`);
});
