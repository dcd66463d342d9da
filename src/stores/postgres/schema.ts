import type { MigrationPlan } from '#stores/sql/migration-plan';
import { CARD_STYLES_SQL } from './card-styles-schema.ts';
import { CHANGES_SQL } from './changes/schema.ts';
import { EVIDENCE_SQL, INPUT_COUNTS_SQL } from './evidence/schema.ts';
import { EXPLANATION_SQL } from './explanation/schema.ts';
import { GATE_BARS_SQL } from './gating/bars-schema.ts';
import { GATING_SQL, USERNAMES_SQL } from './gating/schema.ts';
import { KEYS_SQL } from './keys-schema.ts';
import { LEDGER_SQL } from './ledger/schema.ts';
import { LINKED_ROLES_SQL } from './linked-roles/schema.ts';
import { LINKS_SQL } from './links/schema.ts';
import { SCORING_SQL, SETTLED_SQL } from './scoring/schema.ts';
import { WEBHOOKS_SQL } from './webhooks/schema.ts';
import { WORK_SQL } from './work/schema.ts';

/** A migration to the next schema version. Never change one once released. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  /**
   * The lowest program version that keeps working after this step; a program's version is the
   * newest schema it knows. A step that only adds tables keeps all earlier versions working.
   */
  readonly worksFrom: number;
}

export const MIGRATIONS: MigrationPlan<Migration> = {
  baseline: 25,
  steps: [
    {
      name: '0.1.0',
      sql: [
        ...[LEDGER_SQL, KEYS_SQL, LINKS_SQL, GATING_SQL, LINKED_ROLES_SQL, WORK_SQL, EVIDENCE_SQL],
        ...[SCORING_SQL, EXPLANATION_SQL, CHANGES_SQL, WEBHOOKS_SQL, CARD_STYLES_SQL],
      ].join(''),
      worksFrom: 25,
    },
    { name: 'counts of inputs', sql: INPUT_COUNTS_SQL, worksFrom: 25 },
    { name: 'usernames', sql: USERNAMES_SQL, worksFrom: 25 },
    // An older replica would give back what a moderator has taken.
    { name: 'bars and refusals of members', sql: GATE_BARS_SQL, worksFrom: 28 },
    { name: 'when scores were settled', sql: SETTLED_SQL, worksFrom: 28 },
  ],
};
