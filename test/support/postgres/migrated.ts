import { type Cluster, WITH_TABLES } from '../../../bench/servers/postgres/cluster.ts';

/**
 * Creates an empty database with all of Fathom's tables, which takes a tenth of the time of making them.
 * @returns its URL
 */
export function createMigratedDatabase(cluster: Cluster): Promise<string> {
  return cluster.createDatabase(WITH_TABLES);
}
