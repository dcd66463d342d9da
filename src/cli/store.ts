import { type Config, loadConfig } from '#app/config';
import { UserError } from '#core/errors';
import type { Logger } from '#core/logger';
import type { Store } from '#core/ports';
import { openStore } from '#stores/index';
import type { CommandContext } from './command.ts';

export const IN_MEMORY = 'sqlite::memory:';

/**
 * The configuration, of a command that writes to the database.
 * @param what begins the refusal: `An import`
 * @throws UserError `wrong-usage` when what is written would be forgotten at once
 */
export function requireDatabase(context: CommandContext, what: string): Config {
  const config = loadConfig(context.env);
  if (config.demo || config.databaseUrl === IN_MEMORY) {
    throw new UserError(
      'wrong-usage',
      `${what} needs a database that outlives it. Set DATABASE_URL in the environment or in .env, for example DATABASE_URL=sqlite:./data/fathom.db or DATABASE_URL=postgres://user:password@host/database.`,
    );
  }
  return config;
}

/** The store that commands write to. @throws as `requireDatabase`, and as `openStore` */
export async function openConfiguredStore(context: CommandContext, what: string): Promise<Store> {
  return openStoreOf(requireDatabase(context, what), context);
}

/** The store of a configuration, whatever it is. */
export function openStoreOf(config: Config, { stderr }: CommandContext): Promise<Store> {
  const { databaseUrl, databaseReadUrl: readUrl, thresholds } = config;
  return openStore(databaseUrl, { thresholds, readUrl, log: createTerseLog(stderr) });
}

/** Prints warnings and errors alone, as plain lines: a command's user reads them, no program does. */
export function createTerseLog(stream: NodeJS.WriteStream): Logger {
  const print = (_: unknown, message: string) => void stream.write(`${message}\n`);
  return { debug: () => undefined, info: () => undefined, warn: print, error: print };
}
