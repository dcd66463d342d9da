import { afterAll, beforeAll } from 'vitest';
import type { Store } from '#core/ports';
import { DEFAULT_THRESHOLDS } from '#core/tier';
import { openStore } from '#stores/index';
import { silentLog } from '../support/log.ts';
import { type Cluster, startCluster } from '../support/postgres/cluster.ts';
import { connectionsContract } from './connections-contract.ts';
import { type StoreUnderTest, storeContract } from './contract.ts';
import { gatingContract } from './gating-contract.ts';
import { gatingRunsContract } from './gating-runs-contract.ts';
import { linksContract } from './links-contract.ts';
import { operationsContract } from './operations-contract.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.remove());

async function open(): Promise<Store> {
  const url = await cluster.createDatabase();
  return openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
}

const under: StoreUnderTest = { open, clean: async () => undefined };
for (const contract of [
  storeContract,
  operationsContract,
  linksContract,
  gatingContract,
  gatingRunsContract,
  connectionsContract,
]) {
  contract('Postgres', under);
}
