import type { Cluster } from '../../../bench/servers/postgres/cluster.ts';
import { makeTables } from './operations.ts';

const templates = new WeakMap<Cluster, Promise<string>>();

/**
 * Creates an empty database with all of Fathom's tables. All but a server's first are copies of a migrated
 * one, which takes a quarter of the time.
 * @returns its URL
 */
export async function createMigratedDatabase(cluster: Cluster): Promise<string> {
  let template = templates.get(cluster);
  if (template === undefined) {
    template = makeTemplate(cluster);
    templates.set(cluster, template);
  }
  return cluster.createDatabase(await template);
}

/** @returns its name; nothing may connect to it from then on */
async function makeTemplate(cluster: Cluster): Promise<string> {
  const url = await cluster.createDatabase();
  await makeTables(url);
  return new URL(url).pathname.slice(1);
}
