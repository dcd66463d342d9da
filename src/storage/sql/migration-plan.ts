import { type Logger, UserError } from '#base';

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
