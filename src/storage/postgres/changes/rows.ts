import { type ChangeRows, PARTS_SQL, START_SQL } from '#storage/changes/rows';
import type { Reads } from '#storage/postgres/ledger/reads';

export function createChangeRows(reads: Reads): ChangeRows {
  return {
    async start(shown, asked) {
      const [row] = await reads.ask(START_SQL, [shown.id, asked], shown);
      return row;
    },
    parts: (shown, after, upTo) => reads.ask(PARTS_SQL, [after, upTo], shown),
  };
}
