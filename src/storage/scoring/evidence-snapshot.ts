import type { RuleSum } from '#scoring';
import type { EvidenceSnapshot, LedgerRow } from '#scoring/proof';
import type { Row } from '#storage/sql/script';
import {
  INPUT_STATES_SQL,
  INPUTS_SQL,
  inputStateOf,
  WALLET_COLUMNS,
  walletEventsOf,
  walletOf,
} from './evidence-store.ts';
import { SCORE_VERSION_COLUMNS, scoreVersionOf } from './score-versions.ts';

type Arrays = readonly (readonly unknown[])[];

/** A connection with a snapshot of the database. The first value is `$1`. */
export interface SnapshotConnection {
  rows(sql: string, values?: readonly (string | number)[]): Promise<readonly Row[]>;
  arrays(sql: string, values?: readonly (string | number)[]): Promise<Arrays>;
  close(): Promise<void>;
}

const LIVE_SQL = `SELECT ${SCORE_VERSION_COLUMNS} FROM edition WHERE state = 'live'`;
const PENDING_SQL = `SELECT count(DISTINCT wallet) AS wallets FROM evidence_arrival WHERE number > $1`;
const WALLETS_SQL = `
  SELECT ${WALLET_COLUMNS} FROM wallet WHERE address > $1 ORDER BY address LIMIT $2`;
/** A page's wallets by address. CROSS JOIN keeps the planner from reordering the join. */
const PAGE = 'wallet CROSS JOIN';
const OF_PAGE = 'address > $1 AND address <= $2';
const EVENTS_SQL = `
  SELECT evidence.wallet, evidence.input, evidence.height, evidence.place, evidence.time, evidence.args
  FROM ${PAGE} evidence WHERE evidence.wallet = wallet.id AND ${OF_PAGE} ORDER BY address`;
// With GROUP BY, SQLite would scan all wallets for each page.
const COUNTS_SQL = `
  SELECT id, (SELECT count(*) FROM activity WHERE activity.wallet = wallet.id)
  FROM wallet WHERE ${OF_PAGE}`;
const GIVEN_SQL = `
  SELECT wallet.id, scored.activities, scored.points FROM ${PAGE} scored_wallet AS scored
  WHERE scored.wallet = wallet.id AND ${OF_PAGE} AND edition = $3`;
const SUMS_SQL = `
  SELECT wallet.id, rule, scored.points, events, capped, decayed, discounted, newest
  FROM ${PAGE} scored_rule AS scored
  WHERE scored.wallet = wallet.id AND ${OF_PAGE} AND edition = $3`;
const ACTIVITIES_SQL = `
  SELECT id, type, description, points, timestamp FROM activity
  WHERE wallet = $1 AND id > $2 ORDER BY id LIMIT $3`;

/** Reads everything that scores are computed from. */
export async function readEvidenceSnapshot(
  connection: SnapshotConnection,
): Promise<EvidenceSnapshot> {
  const { rows, arrays, close } = connection;
  try {
    const live = scoreVersionOf((await rows(LIVE_SQL))[0]);
    const inputs = await rows(INPUT_STATES_SQL);
    const [pending] = live ? await rows(PENDING_SQL, [live.arrived]) : [];
    const [wallets] = await rows('SELECT count(*) AS wallets FROM wallet');
    const names = await arrays(INPUTS_SQL);
    const number = live?.number ?? 0;
    return {
      live,
      inputs: inputs.map(inputStateOf),
      pending: Number(pending?.wallets ?? 0),
      wallets: Number(wallets?.wallets),
      async proofs(after, limit) {
        const page = await arrays(WALLETS_SQL, [after, limit]);
        const last = page.at(-1)?.[2];
        if (last === undefined) return [];
        const range = [after, String(last)];
        const events = walletEventsOf(await arrays(EVENTS_SQL, range), page, names);
        const byNumber = new Map(events.map((each) => [each.number, each.events]));
        const counts = byWallet(await arrays(COUNTS_SQL, range));
        const given = byWallet(await arrays(GIVEN_SQL, [...range, number]));
        const sums = byWallet(await arrays(SUMS_SQL, [...range, number]));
        return page.map(([id, chain, address]) => {
          const wallet = Number(id);
          const [own] = given.get(wallet) ?? [];
          return {
            number: wallet,
            wallet: walletOf({ chain, address }),
            events: byNumber.get(wallet) ?? [],
            imported: Number(counts.get(wallet)?.[0]?.[1] ?? 0),
            sums: (sums.get(wallet) ?? []).map(sumOf),
            given: { activities: Number(own?.[1] ?? 0), points: Number(own?.[2] ?? 0) },
          };
        });
      },
      async activities(wallet, after, limit) {
        return (await arrays(ACTIVITIES_SQL, [wallet, after, limit])).map(ledgerRowOf);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function byWallet(rows: Arrays): Map<number, Arrays> {
  return Map.groupBy(rows, ([wallet]) => Number(wallet));
}

function sumOf([, rule, ...figures]: readonly unknown[]): RuleSum {
  const [points = 0, events = 0, capped = 0, decayed = 0, discounted = 0, newest = 0] =
    figures.map(Number);
  return { rule: String(rule), points, events, capped, decayed, discounted, newest };
}

function ledgerRowOf([id, type, description, points, time]: readonly unknown[]): LedgerRow {
  return {
    id: String(id),
    type: String(type),
    description: String(description),
    points: Number(points),
    timestamp: Number(time),
  };
}
