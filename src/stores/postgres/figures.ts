import { messageOf } from '#core/errors';
import type { Logger } from '#core/logger';
import { type Database, SCHEMA } from './database.ts';

/** How often the size is asked for. */
const ASK_MS = 60_000;

const SIZE_SQL = `
  SELECT coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)::bigint AS bytes
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = '${SCHEMA}' AND relkind = 'r'`;

/** The size of our tables with their indexes, as it was lately. */
export interface Size {
  readonly bytes: number;
  stop(): void;
}

export function watchSize(db: Database, log: Logger): Size {
  let bytes = 0;
  async function ask(): Promise<void> {
    try {
      bytes = Number((await db.rows(SIZE_SQL))[0]?.bytes ?? 0);
    } catch (error) {
      log.debug({ error: messageOf(error) }, 'the size of the database cannot be had');
    }
  }
  const timer = setInterval(() => void ask(), ASK_MS);
  timer.unref();
  void ask();
  return {
    get bytes() {
      return bytes;
    },
    stop: () => clearInterval(timer),
  };
}
