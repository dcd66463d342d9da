import pg from 'pg';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Cluster, startCluster } from '../../../bench/servers/postgres/cluster.ts';

/** A server for the tests of a file, with an empty database for each. */
export interface TestDatabase {
  readonly cluster: Cluster;
  /** The URL of the test's own database. */
  readonly url: string;
  /** See `queryDatabase`. */
  query(text: string): Promise<Record<string, unknown>[]>;
}

/** Call it once per file. */
export function useDatabase(): TestDatabase {
  let cluster: Cluster;
  let url: string;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.remove());
  beforeEach(async () => {
    url = await cluster.createDatabase();
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
