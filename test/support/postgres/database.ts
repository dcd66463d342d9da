import pg from 'pg';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Cluster, startCluster } from '../../../bench/servers/postgres/cluster.ts';

/** A server for the tests of a file, with an empty database for each of them. */
export interface TestDatabase {
  readonly cluster: Cluster;
  /** Of the test's own database. */
  readonly url: string;
  /** As `queryDatabase` does. */
  query(text: string): Promise<Record<string, unknown>[]>;
}

/** To be called once in a file. */
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

/** Asks a database, by a connection of its own; Fathom's tables need no schema in their names. */
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
