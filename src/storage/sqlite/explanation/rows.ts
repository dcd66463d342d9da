import type { DatabaseSync } from 'node:sqlite';
import type { ExplanationRows } from '#storage/following/explanation-rows';
import { CHANGES_SQL, DAYS_SQL, RULES_SQL, SOURCES_SQL } from '#storage/scoring/explanation-sql';
import { translatingErrors } from '#storage/sqlite/errors';
import { createChainEventRows } from './chain-events.ts';

export function createExplanationRows(db: DatabaseSync, file: string): ExplanationRows {
  const rules = db.prepare(RULES_SQL);
  const days = db.prepare(DAYS_SQL);
  const sources = db.prepare(SOURCES_SQL);
  const changes = db.prepare(CHANGES_SQL);
  return {
    ...createChainEventRows(db, file),
    rules: (wallet, { edition }) =>
      translatingErrors(file, () => rules.all({ $1: edition, $2: wallet })),
    days: (wallet, { seq, edition, change }) =>
      translatingErrors(file, () => days.all({ $1: wallet, $2: seq, $3: edition, $4: change })),
    sources: ({ edition }) => translatingErrors(file, () => sources.all({ $1: edition })),
    changes: (after, { edition, change }) =>
      translatingErrors(file, () => changes.all({ $1: edition, $2: after, $3: change })),
  };
}
