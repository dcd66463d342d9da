import pg from 'pg';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Cluster, startCluster } from '../../../bench/servers/postgres/cluster.ts';
import { createMigratedDatabase } from './migrated.ts';

/** A server for the tests of a file, with a database for each. */
export interface TestDatabase {
  readonly cluster: Cluster;
  /** The URL of the test's own database. */
  readonly url: string;
  /** See `queryDatabase`. */
  query(text: string): Promise<Record<string, unknown>[]>;
}

/**
 * Call it once per file.
 * @param state whether databases have Fathom's tables, which a test needn't wait for
 */
export function useDatabase(state: 'migrated' | 'new' = 'migrated'): TestDatabase {
  let cluster: Cluster;
  let url: string;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.remove());
  beforeEach(async () => {
    url = await (state === 'new' ? cluster.createDatabase() : createMigratedDatabase(cluster));
  });
  return {
    get cluster() {
      return cluster;
    },
    get url() {
      return url;
    },
    query: (text) => queryDatabase(url, text),
  };
}

/** Queries a database over a new connection; Fathom's tables need no schema prefix. */
export async function queryDatabase(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=fathom' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
