import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, startCluster } from '../../bench/servers/postgres/cluster.ts';
import {
  ALL,
  auditRow,
  changeOf,
  grantOf,
  HOME,
  OTHER,
  ruleOf,
  runOf,
} from '../support/gate-records.ts';
import { createMigratedDatabase } from '../support/postgres/migrated.ts';
import { type Operations, openOperations } from '../support/postgres/operations.ts';

const ROWS = [
  auditRow('rule-added', { rule: 'aaaa', by: 'discord:9', detail: 'Whales' }),
  auditRow('given', { run: 'run00001', rule: 'aaaa', account: '1', detail: 'Whale' }),
];

let cluster: Cluster;
let store: Operations;

beforeAll(async () => {
  cluster = await startCluster();
  const url = await createMigratedDatabase(cluster);
  store = openOperations(url);
  await store.gating.audit(ROWS);
});
afterAll(async () => {
  await store.db.close();
  await cluster.remove();
});

it.each([
  'DELETE FROM gate_audit',
  'DELETE FROM gate_audit WHERE account IS NOT NULL',
  'TRUNCATE gate_audit',
  'TRUNCATE gate_run, gate_audit',
  'UPDATE gate_audit SET at = 1',
  "UPDATE gate_audit SET detail = ''",
  "UPDATE gate_audit SET detail = '' WHERE seq = 1",
  "UPDATE gate_audit SET account = '2', detail = '' WHERE seq = 2",
  'UPDATE gate_audit SET account = NULL WHERE seq = 2',
  "UPDATE gate_audit SET account = NULL, detail = 'Shark' WHERE seq = 2",
  "UPDATE gate_audit SET account = NULL, detail = '', by_account = 'discord:8' WHERE seq = 2",
  "UPDATE gate_audit SET account = NULL, detail = '', event = 'taken' WHERE seq = 2",
  "UPDATE gate_audit SET account = NULL, detail = '', run = NULL WHERE seq = 2",
  "UPDATE gate_audit SET account = NULL, detail = '', seq = 9 WHERE seq = 2",
  `INSERT INTO gate_audit (seq, at, platform, community, event, detail)
   VALUES (1, 1, 'discord', '10', 'held', '')
   ON CONFLICT (seq) DO UPDATE SET detail = excluded.detail`,
  `MERGE INTO gate_audit USING (VALUES (2)) AS given (seq) ON given.seq = gate_audit.seq
   WHEN MATCHED THEN DELETE`,
])('the audit log in the database refuses %s', async (sql) => {
  await expect(store.db.run(sql)).rejects.toThrow('the audit is only ever added to');
  expect(await store.gating.auditOf(HOME, undefined, ALL, 0)).toEqual(ROWS.toReversed());
});

describe('a list that takes several statements', () => {
  const many = Array.from({ length: 12_000 }, (_, number) => changeOf(number));

  it('is planned whole or not at all', async () => {
    const { gating } = store;
    await gating.beginRun(runOf('run00001', { community: OTHER }));
    const countPlanned = async () =>
      (await gating.changesOf('run00001', undefined, -1, many.length + 1)).length;
    const broken = [...many, changeOf(many.length, { reason: null as never })];
    await expect(Promise.try(() => gating.planChanges(broken))).rejects.toThrow('null value');
    expect(await countPlanned()).toBe(0);
    await gating.planChanges(many);
    expect(await countPlanned()).toBe(many.length);
  });

  it('A list that takes several statements of grants keeps the last of each member under one rule', async () => {
    const { gating } = store;
    await gating.putRule(ruleOf('aaaa', { community: OTHER }));
    const grants = many.map(({ number }) => grantOf('aaaa', '1', { lacks: number }));
    await gating.putGrants(OTHER, grants);
    expect(await gating.grantsOf(OTHER, ['1'])).toEqual([grants.at(-1)]);
  });
});
