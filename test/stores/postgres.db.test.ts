import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_THRESHOLDS } from '#core/tier';
import { openStore } from '#stores/index';
import { hasOldest, NEEDS_OLDEST, OLDEST } from '../../bench/servers/postgres/binaries.ts';
import { type Cluster, startCluster } from '../../bench/servers/postgres/cluster.ts';
import { silentLog } from '../support/log.ts';
import { queryDatabase } from '../support/postgres/database.ts';
import { EmptiedDatabases } from '../support/postgres/emptied.ts';
import { awardTimesContract } from './award-times-contract.ts';
import { cardStylesContract } from './card-styles-contract.ts';
import { chainEvidenceContract } from './chain-evidence-contract.ts';
import { changesContract } from './changes-contract.ts';
import { connectionsContract } from './connections-contract.ts';
import { type StoreUnderTest, storeContract } from './contract.ts';
import { correctionsContract } from './corrections-contract.ts';
import { evidenceContract } from './evidence-contract.ts';
import { evidenceSnapshotContract } from './evidence-snapshot-contract.ts';
import { explanationContract } from './explanation-contract.ts';
import { gatingAccountsContract } from './gating-accounts-contract.ts';
import { gatingContract } from './gating-contract.ts';
import { gatingControlContract } from './gating-control-contract.ts';
import { gatingRunsContract } from './gating-runs-contract.ts';
import { growthContract } from './growth-contract.ts';
import { holdersContract } from './holders-contract.ts';
import { joinRequestsContract } from './join-requests-contract.ts';
import { linksContract } from './links-contract.ts';
import { namesAndBadgesContract } from './names-and-badges-contract.ts';
import { operationsContract } from './operations-contract.ts';
import { scoringContract } from './scoring-contract.ts';
import { webhooksContract } from './webhooks-contract.ts';

/** @param bin the folder of its programs, if it isn't the default */
function keepsContracts(name: string, bin?: string): void {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ bin });
  });
  const databases = new EmptiedDatabases();
  afterAll(async () => {
    await databases.close();
    await cluster.remove();
  });

  let url: string;
  const again = () => openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  const under: StoreUnderTest = {
    async open() {
      url = await databases.take(cluster);
      return again();
    },
    again,
    run: (sql) => queryDatabase(url, sql),
    clean: async () => undefined,
  };
  for (const contract of [
    storeContract,
    namesAndBadgesContract,
    holdersContract,
    growthContract,
    operationsContract,
    linksContract,
    gatingContract,
    gatingAccountsContract,
    gatingRunsContract,
    gatingControlContract,
    joinRequestsContract,
    cardStylesContract,
    connectionsContract,
    correctionsContract,
    evidenceContract,
    changesContract,
    chainEvidenceContract,
    scoringContract,
    awardTimesContract,
    evidenceSnapshotContract,
    explanationContract,
    webhooksContract,
  ]) {
    contract(name, under);
  }

  if (bin !== undefined) {
    it('runs the expected version', async () => {
      const rows = await queryDatabase(await cluster.createDatabase(), 'SHOW server_version');
      expect(rows[0]?.server_version).toMatch(/^15\./);
    });
  }
}

describe('the newest Postgres', () => keepsContracts('Postgres'));
describe.runIf(hasOldest)(`the oldest Postgres that is supported${NEEDS_OLDEST}`, () =>
  keepsContracts('Postgres 15', OLDEST),
);
