import { type Logger, UserError } from '#base';
import { TABLES } from './all.ts';
import { addToTable, createTable, type DatabaseKind, isColumnOf, type Table } from './table.ts';

/** How a database's schema comes to be: a baseline for new ones, then steps, each to the next version. */
export interface MigrationPlan<Step> {
  /** The schema version that the first step, the baseline, creates. No older version can be migrated. */
  readonly baseline: number;
  /** At least the baseline. Never change one once released. */
  readonly steps: readonly [Step, ...Step[]];
}

/** Says that an upgrade begins. A new database isn't upgraded. @param from its version */
export function sayUpgrade(log: Logger, from: number, to: number): void {
  if (from === 0 || from >= to) return;
  const words = 'upgrading the database; this may take minutes, and goes on after a kill';
  log.info({ from, to }, words);
}

export function newestVersion({ baseline, steps }: MigrationPlan<unknown>): number {
  return baseline + steps.length - 1;
}

/**
 * @param version of the database; 0 for one without tables
 * @returns the next step and the version it leads to, if the database isn't up to date
 */
export function nextStep<Step>(
  { baseline, steps }: MigrationPlan<Step>,
  version: number,
): { readonly step: Step; readonly to: number } | undefined {
  const to = version === 0 ? baseline : version + 1;
  const step = steps[to - baseline];
  return step === undefined ? undefined : { step, to };
}

/** Whether a database is from before the baseline, so that nothing can migrate it. */
export function isBeforeBaseline({ baseline }: MigrationPlan<unknown>, version: number): boolean {
  return version > 0 && version < baseline;
}

/**
 * Rejects a database from before the baseline.
 * @throws UserError `wrong-configuration`
 */
export function requireBaseline(plan: MigrationPlan<unknown>, version: number, name: string): void {
  if (!isBeforeBaseline(plan, version)) return;
  throw new UserError(
    'wrong-configuration',
    `${name} was created before Fathom 0.1.0 (schema ${version}; 0.1.0 takes over ${plan.baseline} or newer). We left it unchanged; ${HOW_TO_TAKE_OVER}`,
  );
}

/** The commit is the last one that has the steps from before the baseline. */
export const HOW_TO_TAKE_OVER =
  'start the commit be040ee0 of Fathom with it once, then this version.';

/** A migration to the next schema version. Never change one once released. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  /**
   * The lowest program version that keeps working after this step; a program's version is the
   * newest schema it knows. A step that only adds tables keeps all earlier versions working. Of
   * Postgres alone: a SQLite file is used by one program at a time.
   */
  readonly worksFrom: number;
}

/** A migration before its SQL is known: the tables say what each step makes and adds. */
export interface MigrationStep {
  /** Tables name it in `since` and `added`. */
  readonly name: string;
  /** The only database that needs it. */
  readonly only?: DatabaseKind;
  readonly worksFrom: number;
  /** SQL that changes rows, once the step's tables and columns are there. */
  readonly rows?: (database: DatabaseKind) => string;
}

/** The schema that 0.1.0 takes over. */
const BASELINES = { sqlite: 24, postgres: 25 };

/** In order, each to the next version. */
export const MIGRATION_STEPS: readonly [MigrationStep, ...MigrationStep[]] = [
  { name: '0.1.0', worksFrom: 25 },
  {
    name: 'which file a log continues',
    only: 'sqlite',
    worksFrom: 25,
    rows: () => `
      INSERT INTO lineage (id, stamp)
      VALUES (1, 'fathom-lineage:0000000000000000:' || lower(hex(randomblob(8))));`,
  },
  {
    name: 'counts of inputs',
    worksFrom: 25,
    rows: () => `
      UPDATE evidence_input SET events = found.n
      FROM (SELECT input, count(*) AS n FROM evidence GROUP BY input) AS found
      WHERE found.input = evidence_input.number AND evidence_input.height IS NOT NULL;`,
  },
  { name: 'usernames', worksFrom: 25 },
  {
    name: 'bars and refusals of members',
    // An older replica would give back what a moderator has taken.
    worksFrom: 28,
    rows: barGrants,
  },
  { name: 'when scores were settled', worksFrom: 28 },
  // An older replica would give a role to members beyond its rule's bound.
  { name: 'upper bounds of rules', worksFrom: 30 },
  // An older replica would give back the lower roles.
  { name: 'ladder of roles', worksFrom: 31 },
  { name: 'language of communities', worksFrom: 31 },
  { name: 'delegated wallets', worksFrom: 31 },
  { name: 'setup of communities', worksFrom: 31 },
  { name: 'hidden rules', worksFrom: 31 },
  { name: 'former ids of communities', worksFrom: 31 },
  // An older replica would take the roles of those who have them by the sum of their wallets.
  { name: 'sum of wallets', worksFrom: 37 },
  { name: 'how far audit logs count', worksFrom: 37 },
  { name: 'announcements', worksFrom: 37 },
  { name: 'panels', worksFrom: 37 },
  { name: 'digest of communities', worksFrom: 37 },
  { name: 'what was announced of members', worksFrom: 37 },
  { name: 'which badges were announced', worksFrom: 37 },
  { name: 'erased accounts that Discord knows', worksFrom: 37 },
  {
    name: 'names of barred roles',
    worksFrom: 37,
    rows: () => `
      UPDATE gate_bar SET grant_name = (
        SELECT max(grant_name) FROM gate_rule WHERE gate_rule.platform = gate_bar.platform
          AND gate_rule.community = gate_bar.community AND gate_rule.grant_id = gate_bar.grant_id);`,
  },
  { name: 'stamps of links', worksFrom: 37 },
  { name: 'origins of bars', worksFrom: 37 },
  { name: 'renewals of bars', worksFrom: 37 },
  { name: 'former names of barred roles', worksFrom: 37 },
  { name: 'languages of members', worksFrom: 37 },
];

/** Bars that grants recorded before begin now: nothing says since when they held. */
function barGrants(database: DatabaseKind): string {
  const now = database === 'sqlite' ? 'unixepoch()' : 'extract(epoch FROM now())::bigint';
  return `
    INSERT INTO gate_bar (platform, account, community, grant_id, barred_at, by_account, gone)
    SELECT DISTINCT platform, account, community, grant_id, ${now}, CAST(NULL AS text), 1
    FROM (
      SELECT gate_grant.platform, gate_grant.account, gate_grant.community, gate_rule.grant_id
      FROM gate_grant JOIN gate_rule ON gate_rule.platform = gate_grant.platform
        AND gate_rule.community = gate_grant.community AND gate_rule.id = gate_grant.rule
      WHERE gate_grant.holds = 'barred'
      UNION SELECT given.platform, given.account, given.community, given.grant_id
      FROM gate_grant JOIN gate_change AS given ON given.platform = gate_grant.platform
        AND given.community = gate_grant.community AND given.account = gate_grant.account
        AND given.rule = gate_grant.rule AND given.step = 'give' AND given.status = 'done'
      WHERE gate_grant.holds = 'barred' AND given.grant_id IS NOT NULL
    ) AS barred;
    UPDATE gate_grant SET holds = 'none' WHERE holds = 'barred';`;
}

/** The migrations of each kind of database. */
export const MIGRATIONS = { sqlite: migrationsOf('sqlite'), postgres: migrationsOf('postgres') };

/** How this program fits the tables that replicas share; see `ProgramVersion`. */
export const PROGRAM_VERSION = {
  knows: newestVersion(MIGRATIONS.postgres),
  worksFrom: Math.max(...MIGRATIONS.postgres.steps.map(({ worksFrom }) => worksFrom)),
};

/** The migrations that make these tables. */
export function migrationsOf(
  database: DatabaseKind,
  tables: readonly Table[] = TABLES,
  steps = MIGRATION_STEPS,
): MigrationPlan<Migration> {
  const isHere = ({ only }: { readonly only?: DatabaseKind }) =>
    only === undefined || only === database;
  const own = tables.filter(isHere);
  const [first, ...others] = steps;
  const migrationOf = ({ name, worksFrom, rows }: MigrationStep): Migration => ({
    name,
    worksFrom,
    // Not before it's needed: each start and each thread knows the steps of both databases, and few run one.
    get sql() {
      return [
        ...own.map((table) =>
          (table.since ?? first.name) === name
            ? createTable(table, database)
            : addToTable(table, name, database),
        ),
        rows?.(database) ?? '',
      ].join('\n');
    },
  });
  return {
    baseline: BASELINES[database],
    steps: [migrationOf(first), ...others.filter(isHere).map(migrationOf)],
  };
}

/** The columns that come with later versions than this one, as `table.column`. @param version 0 of a new one */
export function laterColumns(database: DatabaseKind, version: number): ReadonlySet<string> {
  const steps = MIGRATION_STEPS.filter(({ only }) => only === undefined || only === database);
  const known = Math.max(0, version - BASELINES[database] + 1);
  const later = new Set(steps.slice(known).map(({ name }) => name));
  const names = TABLES.flatMap(({ name, since = MIGRATION_STEPS[0].name, columns, added = {} }) => {
    const parts = Object.entries(added).flatMap(([step, part]) => (later.has(step) ? part : []));
    const whole = later.has(since) ? [columns] : [];
    return [...whole, ...parts.map((part) => part.columns ?? {})].flatMap((each) =>
      Object.entries(each)
        .filter(([, column]) => isColumnOf(column, database))
        .map(([column]) => `${name}.${column}`),
    );
  });
  return new Set(names);
}
