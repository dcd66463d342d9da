import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import { type Cluster, startCluster } from '../../../bench/servers/postgres/cluster.ts';
import type { StoreUnderTest } from '../../storage/contract.ts';
import { silentLog } from '../log.ts';
import { queryDatabase } from './database.ts';
import { EmptiedDatabases } from './emptied.ts';

/**
 * What a store promises, on a Postgres server of its own.
 * @param keep the contracts
 * @param bin the folder of its programs, if it isn't the default
 */
export function postgresKeeps(
  keep: (name: string, under: StoreUnderTest) => void,
  name: string,
  bin?: string,
): void {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ bin });
  });
  if (bin !== undefined) {
    it(`${name} is the version that is tested`, async () => {
      const [row] = await queryDatabase(await cluster.createDatabase(), 'SHOW server_version');
      expect(`Postgres ${row?.server_version}`).toContain(`${name}.`);
    });
  }
  const databases = new EmptiedDatabases();
  afterAll(async () => {
    await databases.close();
    await cluster.remove();
  });

  let url: string;
  const again = () => openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  keep(name, {
    async open() {
      url = await databases.take(cluster);
      return again();
    },
    again,
    run: (sql) => queryDatabase(url, sql),
    clean: async () => undefined,
  });
}
