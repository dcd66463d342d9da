import type { ChainEventRows } from '#storage/following/explanation-rows';
import type { Reads } from '#storage/postgres/ledger/reads';
import { unnestColumns } from '#storage/postgres/unnest';

const ORIGINS_SQL = `
  SELECT DISTINCT scored.id, scored.origin
  FROM unnest($3::bigint[], $4::text[]) AS asked (timestamp, id)
  JOIN scored ON scored.edition = $1 AND scored.wallet = $2
    AND scored.timestamp = asked.timestamp AND scored.id = asked.id`;

const EVIDENCE_SQL = `
  SELECT part.source, part.chain, input.name, evidence.place, evidence.args,
         evidence.transaction_id
  FROM unnest($2::text[], $3::text[]) AS asked (source, place)
  JOIN evidence_source AS part ON part.source = asked.source
  JOIN evidence_input AS input ON input.source = part.source
  JOIN evidence
    ON evidence.wallet = $1 AND evidence.input = input.number AND evidence.place = asked.place
  WHERE part.chain IS NOT NULL AND evidence.transaction_id IS NOT NULL`;

export function createChainEventRows(reads: Reads): ChainEventRows {
  return {
    origins(wallet, activities, { edition, newest }) {
      const [timestamps, ids] = unnestColumns(
        activities,
        ({ timestamp }) => timestamp,
        ({ id }) => id,
      );
      return reads.ask(ORIGINS_SQL, [edition, wallet, timestamps, ids], newest);
    },
    evidence(wallet, places, { newest }) {
      const [sources, texts] = unnestColumns(
        places,
        ({ source }) => source,
        ({ place }) => place,
      );
      return reads.ask(EVIDENCE_SQL, [wallet, sources, texts], newest);
    },
  };
}
