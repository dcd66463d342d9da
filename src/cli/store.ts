import { type Config, loadConfig } from '#app';
import { type Logger, UserError } from '#base';
import { statIfThere } from '#base/process';
import { openStore, type Store } from '#storage';
import type { CliContext } from './command.ts';
import { waitingFor } from './progress.ts';

export const IN_MEMORY = 'sqlite::memory:';

/**
 * The configuration, for a command that writes to the database.
 * @param what subject of the error message: `An import`
 * @throws UserError `wrong-usage` if the data would be lost on exit
 */
export function requireDatabase(context: CliContext, what: string): Config {
  const config = loadConfig(context.env);
  if (config.demo || config.databaseUrl === IN_MEMORY) {
    throw new UserError(
      'wrong-usage',
      `${what} needs a persistent database. Set DATABASE_URL in the environment or in .env, for example DATABASE_URL=sqlite:./data/fathom.db or DATABASE_URL=postgres://user:password@host/database.`,
    );
  }
  return config;
}

/** The path of a SQLite file; undefined for other databases. */
export function databaseFile(databaseUrl: string): string | undefined {
  return /^sqlite:(?!:memory:)(.+)$/.exec(databaseUrl)?.[1];
}

/** A mistyped path shouldn't become an empty database. @throws UserError `wrong-usage` */
export async function requireExisting({ databaseUrl }: Pick<Config, 'databaseUrl'>): Promise<void> {
  const file = databaseFile(databaseUrl);
  if (file === undefined || statIfThere(file) !== undefined) return;
  // Loaded here so that other commands start without it.
  const { nameWithTarget, whyLinkBroken } = await import('#storage/sqlite');
  const broken = whyLinkBroken(file);
  if (broken !== undefined) {
    throw new UserError('wrong-usage', `There's no database at ${file}, because ${broken}.`);
  }
  throw new UserError(
    'wrong-usage',
    `There's no database at ${nameWithTarget(file)} yet. Start Fathom or import data first, or correct DATABASE_URL.`,
  );
}

/** The store that commands write to. @throws like `requireDatabase` and `openStore` */
export async function openConfiguredStore(context: CliContext, what: string): Promise<Store> {
  return openStoreOf(requireDatabase(context, what), context);
}

/** The configured store. */
export function openStoreOf(config: Config, { stderr }: CliContext): Promise<Store> {
  const { databaseUrl, databaseReadUrl: readUrl, thresholds } = config;
  return waitingFor('the database', () =>
    openStore(databaseUrl, { thresholds, readUrl, log: createTerseLog(stderr) }),
  );
}

/** Prints only warnings and errors, as plain lines: people read them, not programs. */
export function createTerseLog(stream: NodeJS.WriteStream): Logger {
  const print = (_: unknown, message: string) => void stream.write(`${message}\n`);
  return { debug: () => undefined, info: () => undefined, warn: print, error: print };
}
