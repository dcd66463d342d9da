import type { ExplanationRows } from '#storage/following/explanation-rows';
import type { Reads } from '#storage/postgres/ledger/reads';
import { CHANGES_SQL, DAYS_SQL, RULES_SQL, SOURCES_SQL } from '#storage/scoring/explanation-sql';
import { createChainEventRows } from './chain-events.ts';

export function createExplanationRows(reads: Reads): ExplanationRows {
  return {
    ...createChainEventRows(reads),
    rules: (wallet, { edition, newest }) => reads.ask(RULES_SQL, [edition, wallet], newest),
    days: (wallet, { seq, edition, change, newest }) =>
      reads.ask(DAYS_SQL, [wallet, seq, edition, change], newest),
    sources: ({ edition, newest }) => reads.ask(SOURCES_SQL, [edition], newest),
    changes: (after, { edition, change, newest }) =>
      reads.ask(CHANGES_SQL, [edition, after, change], newest),
  };
}
