import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Cluster, startCluster } from '../../bench/servers/postgres/cluster.ts';
import { makeStoreFile } from './empty-store.ts';
import { fillStore } from './filled-store.ts';
import { temporaryFolder } from './import-cli.ts';
import { createMigratedDatabase } from './postgres/migrated.ts';

export const STORE_KINDS = ['sqlite', 'postgres'] as const;
export type StoreKind = (typeof STORE_KINDS)[number];

/** Every way from one kind of store to another. */
export const STORE_WAYS = STORE_KINDS.flatMap((from) =>
  STORE_KINDS.map((to): [StoreKind, StoreKind] => [from, to]),
);

/**
 * Places for new stores, for all tests of a file.
 * @param options of its server
 */
export function storePlaces(options: Parameters<typeof startCluster>[0] = {}) {
  let cluster: Cluster | undefined;
  /** By kind, what takes their place: a database to copy, or the bytes of a file. */
  const filled = new Map<StoreKind, string | Uint8Array>();
  beforeAll(async () => {
    cluster = await startCluster(options);
  });
  afterAll(() => cluster?.remove());

  return {
    get cluster(): Cluster {
      if (cluster === undefined) throw new Error('the server of this file has not started yet');
      return cluster;
    },
    /** @returns the URL of an empty store: nothing waits until it is migrated */
    async newStore(kind: StoreKind): Promise<string> {
      if (kind === 'postgres') return createMigratedDatabase(this.cluster);
      const url = await this.newPlace(kind);
      makeStoreFile(fileOf(url));
      return url;
    },
    /** @returns the URL of a store with rows in every table: a copy of the first, which takes a second to fill */
    async newFilledStore(kind: StoreKind): Promise<string> {
      let first = filled.get(kind);
      if (first === undefined) {
        const url = await this.newStore(kind);
        await fillStore(url);
        first = kind === 'postgres' ? new URL(url).pathname.slice(1) : readFileSync(fileOf(url));
        filled.set(kind, first);
      }
      if (typeof first === 'string') return this.cluster.createDatabase(first);
      const url = await this.newPlace(kind);
      writeFileSync(fileOf(url), first);
      return url;
    },
    /** @returns the URL of a store that doesn't exist yet */
    newPlace(kind: StoreKind): Promise<string> {
      if (kind === 'postgres') return this.cluster.createDatabase();
      return Promise.resolve(`sqlite:${join(temporaryFolder(), 'fathom.db')}`);
    },
  };
}

/** The file of a SQLite store. */
export function fileOf(url: string): string {
  return url.slice('sqlite:'.length);
}
