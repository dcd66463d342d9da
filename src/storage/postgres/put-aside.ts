/** The database before a restore, which docs/operate.md puts aside under this name. */
const PUT_ASIDE = 'fathom_before';

/** Whether there is one, as `is_there`. It may be another role's. */
export const PUT_ASIDE_SQL = `
  SELECT EXISTS (
    SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = '${PUT_ASIDE}' AND relname = 'schema_version'
  ) AS is_there`;

/** Where there is nothing else: an empty database in its place would pass for what was restored. */
export const HALF_RESTORED = `there is no schema "fathom", but "${PUT_ASIDE}", which was put aside for a restore that isn't over. Run pg_restore again, or bring back what there was: ALTER SCHEMA ${PUT_ASIDE} RENAME TO fathom. To begin with an empty database, rename or drop it.`;

export const LEFT_OVER = `the schema "${PUT_ASIDE}" is left from a restore, with what members have erased since. Once the restored database is what you expect: DROP SCHEMA ${PUT_ASIDE} CASCADE`;
