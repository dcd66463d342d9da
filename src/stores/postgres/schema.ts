import { CARD_STYLES_SQL } from './card-styles-schema.ts';
import { CHANGES_SQL } from './changes/schema.ts';
import { CHAIN_EVIDENCE_SQL, EVIDENCE_SQL, LEFT_OUT_SQL } from './evidence/schema.ts';
import { EXPLANATION_SQL } from './explanation/schema.ts';
import {
  GATING_SQL,
  JOIN_REQUESTS_SQL,
  MISSED_MEMBERS_SQL,
  QUEUED_RUNS_SQL,
  RUN_CONTROL_SQL,
  TOLD_RUNS_SQL,
  UNTOLD_RUNS_SQL,
} from './gating/schema.ts';
import { KEYS_SQL } from './keys-schema.ts';
import { CORRECTIONS_SQL, HOLDERS_INDEX_SQL, LEDGER_SQL, SUMS_SQL } from './ledger/schema.ts';
import { LINKED_ROLES_SQL } from './linked-roles/schema.ts';
import { LINKS_SQL } from './links/schema.ts';
import { SCORING_SQL, STORED_RULES_SQL } from './scoring/schema.ts';
import { WEBHOOKS_SQL } from './webhooks/schema.ts';
import { NOTICES_SQL, WORK_SQL } from './work/schema.ts';

/** A migration from one schema version to the next. Never change one once released. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  /**
   * The lowest program version that keeps working after this step; a program's version is the
   * number of steps it knows. A step that only adds tables keeps all earlier versions working.
   */
  readonly worksFrom: number;
}

/** Version n of a database is the result of the first n migrations. */
export const MIGRATIONS: readonly Migration[] = [
  { name: 'ledger, read model, keys', sql: LEDGER_SQL + KEYS_SQL, worksFrom: 1 },
  { name: 'linked wallets', sql: LINKS_SQL, worksFrom: 1 },
  { name: 'gating', sql: GATING_SQL, worksFrom: 1 },
  { name: 'linked roles', sql: LINKED_ROLES_SQL, worksFrom: 1 },
  { name: 'replicas', sql: WORK_SQL, worksFrom: 1 },
  // Older programs would take the sums for complete.
  { name: 'sums in large steps', sql: SUMS_SQL, worksFrom: 6 },
  {
    name: 'badges by revision',
    sql: 'CREATE INDEX badge_revision ON badge (revision)',
    worksFrom: 6,
  },
  { name: 'requests to join', sql: JOIN_REQUESTS_SQL, worksFrom: 6 },
  { name: 'control of gating runs', sql: RUN_CONTROL_SQL, worksFrom: 6 },
  // Older programs would show the points of corrections, but not that one cost a badge.
  { name: 'corrections', sql: CORRECTIONS_SQL, worksFrom: 6 },
  { name: 'told runs of gating', sql: TOLD_RUNS_SQL, worksFrom: 6 },
  { name: 'members missing from lists', sql: MISSED_MEMBERS_SQL, worksFrom: 6 },
  { name: 'queued runs of gating', sql: QUEUED_RUNS_SQL, worksFrom: 6 },
  { name: 'evidence', sql: EVIDENCE_SQL, worksFrom: 6 },
  // Older programs would show only imported data.
  { name: 'scoring', sql: SCORING_SQL, worksFrom: 15 },
  // Older programs reject rules about chains.
  { name: 'evidence of chains', sql: CHAIN_EVIDENCE_SQL, worksFrom: 16 },
  { name: 'explanation', sql: EXPLANATION_SQL, worksFrom: 16 },
  { name: 'reports of gating', sql: UNTOLD_RUNS_SQL, worksFrom: 16 },
  { name: 'notices of replicas', sql: NOTICES_SQL, worksFrom: 16 },
  // Older programs would leave out what changed.
  { name: 'changes', sql: CHANGES_SQL, worksFrom: 20 },
  { name: 'holders of badges', sql: HOLDERS_INDEX_SQL, worksFrom: 20 },
  { name: 'webhooks', sql: WEBHOOKS_SQL, worksFrom: 20 },
  { name: 'card styles', sql: CARD_STYLES_SQL, worksFrom: 20 },
  { name: 'events left out', sql: LEFT_OUT_SQL, worksFrom: 20 },
  // Older programs look for rules in their old place.
  { name: 'rules apart from editions', sql: STORED_RULES_SQL, worksFrom: 25 },
];
