import { setImmediate as breathe } from 'node:timers/promises';
import { CHAINS, type Chain } from '#core/chain';
import type { Standings } from '#core/standings/standings';
import { BADGES_A_PAGE, defineBadges } from '#stores/define-badges';
import { CHAINS_MAX } from '#stores/fill-standings';
import { integersOf, packed, packedTexts, textsOf } from './packed-sql.ts';
import type { Position } from './position.ts';

/** Rows that are fetched at a time. */
const STEP = 1_000;
/** How long what was fetched may hold up the requests that come meanwhile. */
const STEP_MS = 0.2;
/** Batches that are listed at a time. */
const BATCHES = 1_000;
/** Rows that are taken in between two looks at the clock. */
const AT_ONCE = 8;

const HIGHEST_INTEGER = 2 ** 31 - 1;

export interface Loaded {
  readonly standings: Standings;
  readonly position: Position;
}

export interface Batch {
  readonly id: number;
  readonly lastSeq: number;
  readonly committedAt: number;
}

/** A statement that sees at least the batch that the position is on its way to. */
export type Ask = (
  sql: string,
  values: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** The newest batch that a statement sees, beside its rows. */
const NEWEST = '(SELECT id, uid FROM batch ORDER BY id DESC LIMIT 1)';

/**
 * Runs `take` until all is taken, giving way again and again.
 * @param take takes what is at a place, and says which place is next
 * @throws the signal's reason
 */
async function inMoments(
  count: number,
  signal: AbortSignal | undefined,
  take: (at: number) => number,
): Promise<void> {
  let at = 0;
  while (at < count) {
    signal?.throwIfAborted();
    const end = performance.now() + STEP_MS;
    for (let taken = 1; at < count; taken++) {
      at = take(at);
      if (taken % AT_ONCE === 0 && performance.now() > end) break;
    }
    await breathe();
  }
}

function addWallet(standings: Standings, pair: number, address: string): void {
  const wallet = Math.floor(pair / CHAINS_MAX);
  if (standings.has(wallet)) return;
  standings.addWallet(wallet, CHAINS[pair - wallet * CHAINS_MAX] as Chain, address);
}

/** Takes in the wallets that are new; none of them is a user before its rows are in. */
export async function takeInWallets(
  ask: Ask,
  { standings, position }: Loaded,
  signal?: AbortSignal,
): Promise<void> {
  for (let count = STEP; count === STEP; ) {
    const [row] = await ask(
      `SELECT count(*) AS n, max(id) AS last, ${packed(`id::bigint * ${CHAINS_MAX} + chain`)} AS pairs,
              ${packedTexts('address')} AS addresses
       FROM (SELECT id, chain, address FROM wallet WHERE id > $1 ORDER BY id LIMIT ${STEP}) AS page`,
      [position.wallets],
    );
    count = Number(row?.n);
    if (count === 0) return;
    const pairs = integersOf(row?.pairs, count);
    const addresses = textsOf(row?.addresses);
    await inMoments(count, signal, (at) => {
      addWallet(standings, pairs[at] as number, addresses[at] as string);
      return at + 1;
    });
    position.wallets = Number(row?.last);
  }
}

/** Takes in the badges that were written since. They may be of batches that are yet to come. */
export async function takeInBadges(ask: Ask, { standings, position }: Loaded): Promise<void> {
  const taken = await defineBadges(standings, position.badges, async (since, above) => {
    const rows = await ask(
      `SELECT badge.*, newest.id AS newest_id, newest.uid AS newest_uid
       FROM badge CROSS JOIN ${NEWEST} AS newest
       WHERE badge.revision > $1 AND badge.number > $2
       ORDER BY badge.number LIMIT ${BADGES_A_PAGE}`,
      [since, above],
    );
    return { rows, newest: { id: Number(rows[0]?.newest_id), uid: String(rows[0]?.newest_uid) } };
  });
  if (taken === undefined) return;
  const { revision, newest } = taken;
  position.badges = revision;
  noteNewest(position, { newest_id: newest.id, newest_uid: newest.uid });
}

/** The next batches that are not in. */
export async function batchesToTakeIn(ask: Ask, { position }: Loaded): Promise<Batch[]> {
  const rows = await ask(
    `SELECT id, last_seq, committed_at FROM batch WHERE id > $1 AND id <= $2
     ORDER BY id LIMIT ${BATCHES}`,
    [position.batch, position.newest.id],
  );
  return rows.map((row) => ({
    id: Number(row.id),
    lastSeq: Number(row.last_seq),
    committedAt: Number(row.committed_at),
  }));
}

/** Takes in what a batch brought, but for wallets and badges, which are to be in already. */
export async function takeInBatch(
  ask: Ask,
  loaded: Loaded,
  batch: Batch,
  signal?: AbortSignal,
): Promise<void> {
  const { position } = loaded;
  await takeInRows(ask, loaded, batch, signal);
  await takeInNames(ask, loaded, signal);
  position.batch = batch.id;
  position.committedAt = batch.committedAt;
  position.changed();
}

/** Takes in a batch's rows of the ledger. Those of one wallet come together and count as one change. */
async function takeInRows(
  ask: Ask,
  { standings, position }: Loaded,
  { lastSeq, committedAt }: Batch,
  signal?: AbortSignal,
): Promise<void> {
  while (position.seq < lastSeq) {
    const [row] = await ask(
      `SELECT count(*) AS n, ${packed('seq')} AS seqs, ${packed('wallet')} AS wallets,
              ${packed('points')} AS points, ${packed('coalesce(badge, 0)')} AS badges
       FROM (SELECT seq, wallet, points, badge FROM activity
             WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT ${STEP}) AS page`,
      [position.seq, lastSeq],
    );
    const count = Number(row?.n);
    if (count === 0) throw new Error(`rows of the ledger up to ${lastSeq} are missing`);
    const seqs = integersOf(row?.seqs, count);
    const wallets = integersOf(row?.wallets, count);
    const points = integersOf(row?.points, count);
    const badges = integersOf(row?.badges, count);
    await inMoments(count, signal, (from) => {
      const wallet = wallets[from] as number;
      let sum = 0;
      let next = from;
      for (; next < count && wallets[next] === wallet; next++) {
        sum += points[next] as number;
        const badge = badges[next] as number;
        if (badge !== 0) standings.addBadge(wallet, badge);
      }
      standings.apply(wallet, { activities: next - from, points: sum, committedAt });
      position.seq = seqs[next - 1] as number;
      position.changed();
      return next;
    });
  }
}

/** Takes in the display names that were written since. They may be of batches that are yet to come. */
export async function takeInNames(
  ask: Ask,
  { standings, position }: Loaded,
  signal?: AbortSignal,
): Promise<void> {
  let [revision, last] = [position.names, HIGHEST_INTEGER];
  for (let count = STEP; count === STEP; ) {
    const [row] = await ask(
      `SELECT page.*, newest.id AS newest_id, newest.uid AS newest_uid
       FROM (
         SELECT count(*) AS n, max(revision) AS revision,
                (array_agg(wallet ORDER BY revision, wallet))[count(*)] AS last,
                ${packed(`wallet::bigint * ${CHAINS_MAX} + chain`)} AS pairs,
                ${packedTexts('address')} AS addresses, ${packedTexts('display_name')} AS names
         FROM (
           SELECT name.revision, name.wallet, name.display_name, wallet.chain, wallet.address
           FROM name JOIN wallet ON wallet.id = name.wallet
           WHERE (name.revision, name.wallet) > ($1, $2)
           ORDER BY name.revision, name.wallet LIMIT ${STEP}
         ) AS each
       ) AS page LEFT JOIN ${NEWEST} AS newest ON true`,
      [revision, last],
    );
    count = Number(row?.n);
    if (row === undefined || count === 0) break;
    const pairs = integersOf(row.pairs, count);
    const addresses = textsOf(row.addresses);
    const names = textsOf(row.names);
    position.isBetween = true;
    noteNewest(position, row);
    await inMoments(count, signal, (at) => {
      const pair = pairs[at] as number;
      addWallet(standings, pair, addresses[at] as string);
      standings.setName(Math.floor(pair / CHAINS_MAX), names[at] as string);
      position.changed();
      return at + 1;
    });
    [revision, last] = [Number(row.revision), Number(row.last)];
  }
  position.names = revision;
  position.isBetween = false;
  position.changed();
}

function noteNewest(position: Position, row: Readonly<Record<string, unknown>>): void {
  const id = Number(row.newest_id);
  if (id > position.newest.id) position.newest = { id, uid: String(row.newest_uid) };
  position.changed();
}
