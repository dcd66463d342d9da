import { type Finding, fail, ok, warn } from '#runtime/finding';
import { SCHEMA } from '#stores/postgres/database';
import { MIGRATIONS } from '#stores/postgres/schema';
import type { Ask } from './ask.ts';

interface SchemaLook {
  readonly finding: Finding;
  /** Whether it can be asked about what is in it. */
  readonly isNewest: boolean;
}

/** Whether the tables are there, and whether they may be written to. */
export async function checkSchema(ask: Ask): Promise<SchemaLook> {
  const { version, worksFrom, isForeign } = await schemaState(ask);
  if (isForeign) return { finding: foreign(), isNewest: false };
  const known = MIGRATIONS.length;
  const { may_make, may_change, may_write } = await rightsOf(ask);
  const subject = 'schema';
  const look = (finding: Finding, isNewest = false): SchemaLook => ({ finding, isNewest });
  if (version === 0) {
    if (may_make === true) {
      return look(
        warn(subject, 'not there yet. The next start, or "fathom import FILE", makes it.'),
      );
    }
    const text = 'not there yet, and this user may not make it. Give it CREATE on the database.';
    return look(fail(subject, text));
  }
  if (worksFrom > known) {
    const text = `version ${version}, made by a newer Fathom; this one knows ${known}. Update Fathom.`;
    return look(fail(subject, text));
  }
  if (may_write !== true) {
    const text = `this user may not write in the schema ${SCHEMA}. Name its owner in DATABASE_URL.`;
    return look(fail(subject, text));
  }
  if (version > known) {
    const text = `version ${version}, made by a newer Fathom, which this one can work with. Update Fathom.`;
    return look(warn(subject, text), true);
  }
  if (version === known) return look(ok(subject, `version ${version}, the newest`), true);
  if (may_change === true) {
    return look(warn(subject, `version ${version}; the next start brings it to ${known}`));
  }
  const text = `version ${version}, and this user may not bring it to ${known}. Name its owner in DATABASE_URL.`;
  return look(fail(subject, text));
}

function foreign(): Finding {
  const text = `there is a schema "${SCHEMA}" of another program's. Name another database in DATABASE_URL.`;
  return fail('schema', text);
}

interface SchemaState {
  /** How many migrations it has seen; 0 when there is none of ours. */
  readonly version: number;
  /** The lowest version of a program that works with it. */
  readonly worksFrom: number;
  readonly isForeign: boolean;
}

export async function schemaState(ask: Ask): Promise<SchemaState> {
  const { is_ours, tables } = await ask(
    `SELECT to_regclass('${SCHEMA}.schema_version') IS NOT NULL AS is_ours,
       (SELECT count(*) FROM pg_tables WHERE schemaname = $1) AS tables`,
    [SCHEMA],
  );
  if (is_ours !== true) return { version: 0, worksFrom: 0, isForeign: Number(tables) > 0 };
  const { version, works_from } = await ask(
    `SELECT coalesce(max(version), 0) AS version, coalesce(max(works_from), 0) AS works_from
     FROM ${SCHEMA}.schema_version`,
  );
  return { version: Number(version), worksFrom: Number(works_from), isForeign: false };
}

function rightsOf(ask: Ask): ReturnType<Ask> {
  return ask(
    `SELECT has_database_privilege(current_database(), 'CREATE') AS may_make,
       (SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = $1) AS may_change,
       (SELECT bool_and(has_table_privilege(pg_class.oid, 'INSERT')
          AND has_table_privilege(pg_class.oid, 'UPDATE')
          AND has_table_privilege(pg_class.oid, 'DELETE'))
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = $1 AND relkind = 'r') AS may_write`,
    [SCHEMA],
  );
}
