import type { DatabaseSync } from 'node:sqlite';
import type { ChainEventRows } from '#storage/following/explanation-rows';
import { translatingErrors } from '#storage/sqlite/errors';

export function createChainEventRows(db: DatabaseSync, file: string): ChainEventRows {
  const origin = db.prepare(
    `SELECT id, origin FROM scored
     WHERE edition = ? AND wallet = ? AND timestamp = ? AND id = ? LIMIT 1`,
  );
  // The order of the join is fixed, for there are few inputs.
  const evidence = db.prepare(
    `SELECT part.source, part.chain, input.name, evidence.place, evidence.args,
            evidence.transaction_id
     FROM evidence_source AS part
     CROSS JOIN evidence_input AS input ON input.source = part.source
     CROSS JOIN evidence
       ON evidence.wallet = $wallet AND evidence.input = input.number AND evidence.place = $place
     WHERE part.source = $source AND part.chain IS NOT NULL AND transaction_id IS NOT NULL LIMIT 1`,
  );
  return {
    origins: (wallet, activities, { edition }) =>
      translatingErrors(file, () =>
        activities.flatMap(({ id, timestamp }) => origin.all(edition, wallet, timestamp, id)),
      ),
    evidence: (wallet, places) =>
      translatingErrors(file, () =>
        places.flatMap(({ source, place }) => evidence.all({ wallet, source, place })),
      ),
  };
}
