import { type CheckFinding, fail, warn } from '#base';
import { newestSchemaFinding } from '#cli/doctor/data';
import { HOW_TO_TAKE_OVER, isBeforeBaseline, newestVersion } from '#storage';
import { SCHEMA } from '#storage/postgres';
import { MIGRATIONS } from '#storage/tables';
import type { SelectRow } from './read-only-session.ts';

interface SchemaLook {
  readonly finding: CheckFinding;
  /** Whether its contents can be queried. */
  readonly isNewest: boolean;
}

/** Whether the tables exist and are writable. */
export async function checkSchema(select: SelectRow): Promise<SchemaLook> {
  const { version, worksFrom, isForeign } = await schemaState(select);
  if (isForeign) return { finding: foreign(), isNewest: false };
  const known = newestVersion(MIGRATIONS.postgres);
  const { may_make, may_change, may_write } = await rightsOf(select);
  const subject = 'schema';
  const look = (finding: CheckFinding, isNewest = false): SchemaLook => ({ finding, isNewest });
  if (version === 0) {
    if (may_make === true) {
      return look(
        warn(subject, 'not created yet. The next start, or "fathom import FILE", creates it.'),
      );
    }
    const text = "not created yet, and this user can't create it. Grant it CREATE on the database.";
    return look(fail(subject, text));
  }
  if (worksFrom > known) {
    const text = `version ${version}, created by a newer Fathom; this one supports ${known}. Update Fathom.`;
    return look(fail(subject, text));
  }
  if (isBeforeBaseline(MIGRATIONS.postgres, version)) {
    const text = `version ${version}, created before Fathom 0.1.0, which can't migrate it: ${HOW_TO_TAKE_OVER}`;
    return look(fail(subject, text));
  }
  if (may_write !== true) {
    const text = `this user can't write to the schema ${SCHEMA}. Use its owner in DATABASE_URL.`;
    return look(fail(subject, text));
  }
  if (version > known) {
    const text = `version ${version}, created by a newer Fathom but compatible with this one. Update Fathom.`;
    return look(warn(subject, text), true);
  }
  if (version === known) {
    const finding = newestSchemaFinding(version, await columnsOf(select), 'postgres');
    return look(finding, finding.level === 'ok');
  }
  if (may_change === true) {
    return look(warn(subject, `version ${version}; the next start migrates it to ${known}`));
  }
  const text = `version ${version}, and this user can't migrate it to ${known}. Use its owner in DATABASE_URL.`;
  return look(fail(subject, text));
}

function foreign(): CheckFinding {
  const text = `another program has a schema "${SCHEMA}" here. Use another database in DATABASE_URL.`;
  return fail('schema', text);
}

interface SchemaState {
  /** Number of applied migrations; 0 if there is no Fathom schema. */
  readonly version: number;
  /** The lowest schema version a program must know to work with it. */
  readonly worksFrom: number;
  readonly isForeign: boolean;
}

export async function schemaState(select: SelectRow): Promise<SchemaState> {
  const { is_ours, tables } = await select(
    `SELECT to_regclass('${SCHEMA}.schema_version') IS NOT NULL AS is_ours,
       (SELECT count(*) FROM pg_tables WHERE schemaname = $1) AS tables`,
    [SCHEMA],
  );
  if (is_ours !== true) return { version: 0, worksFrom: 0, isForeign: Number(tables) > 0 };
  const { version, works_from } = await select(
    `SELECT coalesce(max(version), 0) AS version, coalesce(max(works_from), 0) AS works_from
     FROM ${SCHEMA}.schema_version`,
  );
  return { version: Number(version), worksFrom: Number(works_from), isForeign: false };
}

async function columnsOf(select: SelectRow): Promise<string[]> {
  const { columns } = await select(
    `SELECT array_agg(relname || '.' || attname) AS columns
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = to_regnamespace($1) AND relkind = 'r' AND attnum > 0 AND NOT attisdropped`,
    [SCHEMA],
  );
  return Array.isArray(columns) ? columns.map(String) : [];
}

function rightsOf(select: SelectRow): ReturnType<SelectRow> {
  return select(
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
