import { type Logger, messageOf } from '#base';
import { Upkeep } from '#base/process';
import { type Database, SCHEMA } from './database.ts';

/** How often the size is queried. */
const ASK_MS = 60_000;

const SIZE_SQL = `
  SELECT coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)::bigint AS bytes
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = '${SCHEMA}' AND relkind = 'r'`;

/** The recent size of our tables with their indexes. */
export interface Size {
  readonly bytes: number;
  stop(): void;
}

export function watchSize(db: Database, log: Logger): Size {
  let bytes = 0;
  const upkeep = new Upkeep({
    everyMs: ASK_MS,
    async work() {
      bytes = Number((await db.rows(SIZE_SQL))[0]?.bytes ?? 0);
    },
    onError: (error) =>
      log.debug({ error: messageOf(error) }, 'could not read the size of the database'),
  });
  void upkeep.begin();
  return {
    get bytes() {
      return bytes;
    },
    stop: () => void upkeep.stop(),
  };
}
