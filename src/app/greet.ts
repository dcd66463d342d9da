import type { Logger } from '#base';
import type { Config } from './config.ts';
import type { DataSources } from './data-sources.ts';

/** Logs what is served and where, and what to do if there's no data yet. */
export async function greet(
  config: Pick<Config, 'misspelt' | 'demo' | 'rulesPath' | 'upstream'>,
  { store }: Pick<DataSources, 'store'>,
  url: string,
  log: Logger,
): Promise<void> {
  for (const sentence of config.misspelt) log.warn({}, sentence);
  if (config.demo) {
    log.warn(
      {},
      'demo data: neither DATABASE_URL nor UPSTREAM_URL is set, so every wallet shown is made up (see .env.example)',
    );
  }
  if (config.rulesPath !== undefined && config.upstream !== undefined) {
    log.warn(
      {},
      'RULES is ignored: scores come from UPSTREAM_URL, with the rules of that instance',
    );
  }
  const { wallets, activities } = store.figures();
  // Imported events only become activities through rules.
  const isEmpty = activities === 0 && (await store.scoring.highestWallet()) === 0;
  if (config.upstream === undefined && isEmpty) {
    log.warn(
      {},
      'the database is empty: import activity with "npm run fathom -- import FILE" (docs/operate.md describes the format); it appears here within seconds',
    );
  }
  log.info(
    config.upstream === undefined
      ? { wallets, imported: activities }
      : { from: config.upstream.url },
    `Fathom answers at ${url}/v1 — try it at ${url}/, docs at ${url}/docs`,
  );
}
