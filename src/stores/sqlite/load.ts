import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as breathe } from 'node:timers/promises';
import type { BadgeDefinition, BadgeTier } from '#core/badge';
import { CHAINS, type Chain } from '#core/chain';
import type { Standings } from '#core/standings/standings';
import { TEXT_END } from '#core/standings/text-arena';
import { readIntegers, unpair } from './packed.ts';

/** Rows a step: their addresses, of up to 58 characters, fill most of a segment of the arena. */
const STEP = 65_536;

/** Two numbers come as one, for each value costs; these are above what the second ever is. */
const CHAINS_MAX = 8;
const BADGES_MAX = 2 ** 24;

/** Packed columns; null where there was no row. */
type Blobs = Record<string, Uint8Array | null>;
const NOTHING = new Uint8Array(0);

/** Up to where the ledger was taken in. */
export interface Position {
  /** Id of the newest batch whose badges and names are in. */
  batch: number;
  /** Newest batch that wrote a badge which is in; it may be ahead of `batch`. */
  badges: number;
  /** Newest ledger row that is in. */
  seq: number;
  /** Seconds since 1970 when the batch was committed; 0 when there is none. */
  committedAt: number;
}

/**
 * Fills empty standings from the read model, from one snapshot: an import that goes on meanwhile is
 * seen whole up to the position that is returned, and not beyond.
 */
export async function loadStandings(db: DatabaseSync, standings: Standings): Promise<Position> {
  db.exec('BEGIN');
  try {
    const position = readPosition(db);
    position.badges = loadBadges(db, standings, 0);
    const highest = Number(db.prepare('SELECT max(id) AS id FROM wallet').get()?.id ?? 0);
    standings.reserve(highest);
    await loadWallets(db, standings, highest);
    await loadAwards(db, standings, highest);
    loadNames(db, standings, 0);
    standings.rankAll(await walletsByAddress(db));
    return position;
  } finally {
    db.exec('ROLLBACK');
    // What the scans needed is of no use to the reads that follow.
    db.exec('PRAGMA shrink_memory');
  }
}

function readPosition(db: DatabaseSync): Position {
  const row = db
    .prepare('SELECT id, last_seq, committed_at FROM batch ORDER BY id DESC LIMIT 1')
    .get();
  return {
    batch: Number(row?.id ?? 0),
    badges: 0,
    seq: Number(row?.last_seq ?? 0),
    committedAt: Number(row?.committed_at ?? 0),
  };
}

/** Takes in the badges that were written after batch `after`. @returns the newest batch of them all */
export function loadBadges(db: DatabaseSync, standings: Standings, after: number): number {
  const rows = db.prepare('SELECT * FROM badge WHERE revision > ? ORDER BY revision').all(after);
  for (const row of rows) standings.defineBadge(Number(row.number), badgeOf(row));
  return Number(rows.at(-1)?.revision ?? after);
}

export function badgeOf(row: Record<string, unknown>): BadgeDefinition {
  return {
    id: String(row.id),
    name: String(row.name),
    description: String(row.description),
    tier: String(row.tier) as BadgeTier,
    imageUrl: String(row.image_url),
    soulbound: row.soulbound === 1,
  };
}

/** Takes in the display names that were written after batch `after`, of wallets that are known. */
export function loadNames(db: DatabaseSync, standings: Standings, after: number): void {
  const rows = db.prepare('SELECT wallet, display_name FROM name WHERE revision > ?');
  for (const row of rows.iterate(after)) {
    const wallet = Number(row.wallet);
    if (!standings.has(wallet)) addWallet(db, standings, wallet);
    standings.setName(wallet, String(row.display_name));
  }
}

/** Adds one wallet that came into the store after the standings were loaded. */
export function addWallet(db: DatabaseSync, standings: Standings, wallet: number): void {
  const row = db.prepare('SELECT address, chain FROM wallet WHERE id = ?').get(wallet);
  if (row === undefined) throw new Error(`wallet ${wallet} is not in the store`);
  standings.addWallet(wallet, CHAINS[Number(row.chain)] as Chain, String(row.address));
}

async function loadWallets(db: DatabaseSync, standings: Standings, highest: number): Promise<void> {
  const sql = db.prepare(`
    SELECT ${packed(`id * ${CHAINS_MAX} + chain`)} AS wallets, ${packed('points')} AS points,
           ${packed('activities')} AS activities, ${packed('updated_at')} AS updated,
           CAST(group_concat(address || char(${TEXT_END}), '') AS BLOB) AS addresses
    FROM wallet WHERE id > ? AND id <= ?`);
  const rows = {
    ids: new Uint32Array(STEP),
    chains: new Uint8Array(STEP),
    points: new Float64Array(STEP),
    activities: new Uint32Array(STEP),
    updatedAt: new Uint32Array(STEP),
  };
  const pairs = new Float64Array(STEP);
  for (let from = 0; from < highest; from += STEP) {
    const row = sql.get(from, from + STEP) as Blobs;
    const count = readIntegers(row.wallets ?? NOTHING, pairs);
    unpair(pairs, count, CHAINS_MAX, rows.ids, rows.chains);
    readIntegers(row.points ?? NOTHING, rows.points);
    readIntegers(row.activities ?? NOTHING, rows.activities);
    readIntegers(row.updated ?? NOTHING, rows.updatedAt);
    standings.loadWallets({ ...rows, addresses: row.addresses ?? NOTHING }, count);
    await breathe();
  }
}

async function loadAwards(db: DatabaseSync, standings: Standings, highest: number): Promise<void> {
  const sql = db.prepare(`
    SELECT ${packed(`wallet * ${BADGES_MAX} + badge`)} AS awards, count(*) AS n
    FROM award WHERE wallet > ? AND wallet <= ?`);
  let pairs = new Float64Array(STEP);
  for (let from = 0; from < highest; from += STEP) {
    const row = sql.get(from, from + STEP) as Blobs & { n: number };
    if (row.n > pairs.length) pairs = new Float64Array(row.n * 2);
    // The first wallets tell how many the others will have; counting them all takes as long as reading.
    if (from === 0) standings.reserveBadges(Math.ceil((row.n * highest) / STEP));
    readIntegers(row.awards ?? NOTHING, pairs);
    for (let i = 0; i < row.n; i++) {
      const pair = pairs[i] as number;
      const wallet = Math.floor(pair / BADGES_MAX);
      standings.addBadge(wallet, pair - wallet * BADGES_MAX);
    }
    await breathe();
  }
}

/** All wallet numbers in the order of their addresses, which the index on them has already. */
async function walletsByAddress(db: DatabaseSync): Promise<Uint32Array> {
  const total = Number(db.prepare('SELECT count(*) AS n FROM wallet').get()?.n);
  const sql = db.prepare(`
    SELECT ${packed('id')} AS ids, max(address) AS last
    FROM (SELECT id, address FROM wallet WHERE address > ? ORDER BY address LIMIT ${STEP})`);
  const ordered = new Uint32Array(total);
  let filled = 0;
  let last = '';
  while (filled < total) {
    const row = sql.get(last) as { ids: Uint8Array; last: string };
    filled += readIntegers(row.ids, ordered.subarray(filled));
    last = row.last;
    await breathe();
  }
  return ordered;
}

/** SQL of an aggregate: all values of an integer column, to be read by `readIntegers`. */
function packed(column: string): string {
  return `CAST(group_concat(${column}) AS BLOB)`;
}
