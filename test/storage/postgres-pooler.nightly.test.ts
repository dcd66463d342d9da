import { afterAll, beforeAll, describe } from 'vitest';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import { type Cluster, startCluster } from '../../bench/servers/postgres/cluster.ts';
import { silentLog } from '../support/log.ts';
import { createMigratedDatabase } from '../support/postgres/migrated.ts';
import { missingPooler, type Pooler, startPooler } from '../support/postgres/pooler.ts';
import { activityListContract } from './activity-list-contract.ts';
import { storeContract } from './contract.ts';
import { linksContract } from './links-contract.ts';
import { namesAndBadgesContract } from './names-and-badges-contract.ts';

const CONTRACTS = [storeContract, activityListContract, namesAndBadgesContract, linksContract];
const SKIPPED = missingPooler === undefined ? '' : ` (skipped: ${missingPooler})`;

describe.skipIf(missingPooler)(`behind PgBouncer in session mode${SKIPPED}`, () => {
  let cluster: Cluster;
  let pooler: Pooler;
  beforeAll(async () => {
    cluster = await startCluster();
    pooler = await startPooler(cluster, 'session');
  });
  afterAll(async () => {
    await pooler.remove();
    await cluster.remove();
  });

  async function open() {
    const url = pooler.urlOf(await createMigratedDatabase(cluster));
    return await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  }
  for (const contract of CONTRACTS) {
    contract('Postgres behind PgBouncer', { open, clean: async () => undefined });
  }
});
