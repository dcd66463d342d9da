import { type ActivityColumns, joined, textAt } from '#core/activity-columns';
import type { BadgeDefinition } from '#core/badge';
import { CHAINS } from '#core/chain';
import type { Wallet } from '#core/wallet';
import { LOOK_CHANNEL } from './channel.ts';
import type { Connection } from './connection.ts';
import { copyIn, copyText, copyTexts } from './copy-in.ts';
import { awardsOf, busyOf, type Gains, sumUp } from './gains.ts';
import { inIndexOrder, type Ordered } from './in-order.ts';
import type { NewWallet, WalletNumbers } from './numbers.ts';
import { integersOf, packed } from './packed-sql.ts';
import { BUSY_ABOVE } from './schema.ts';

/** What was staged since the last commit. */
export interface Staged {
  readonly badges: BadgeDefinition[];
  readonly names: { readonly wallet: Wallet; readonly displayName: string }[];
  /** Part by part. */
  readonly activities: ActivityColumns[];
}

export interface MergeOptions {
  readonly numbers: WalletNumbers;
  /** Of the batch. */
  readonly uid: string;
  /** Seconds since 1970. */
  readonly now: number;
  /**
   * Whether to ask first which activities the ledger has. Otherwise one that it has makes COPY fail
   * with a unique violation, and all is to be done again.
   */
  readonly isCareful: boolean;
}

/**
 * For a batch, which is small, beside tables that grow without end: every row is looked up by its
 * key, whatever the planner believes of their size.
 */
const PLANNING_SQL =
  'SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off';

const PUT_BADGES_SQL = `
  INSERT INTO badge (number, id, name, description, tier, image_url, soulbound, revision)
  SELECT (SELECT coalesce(max(number), 0) FROM badge)
           + row_number() OVER (PARTITION BY badge.number IS NULL ORDER BY n),
         given.id, given.name, given.description, given.tier, given.image_url, given.soulbound, $1
  FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::smallint[])
    WITH ORDINALITY AS given (id, name, description, tier, image_url, soulbound, n)
  LEFT JOIN badge ON badge.id = given.id
  ON CONFLICT (id) DO UPDATE
  SET name = excluded.name, description = excluded.description, tier = excluded.tier,
      image_url = excluded.image_url, soulbound = excluded.soulbound, revision = excluded.revision
  WHERE (badge.name, badge.description, badge.tier, badge.image_url, badge.soulbound)
        IS DISTINCT FROM (excluded.name, excluded.description, excluded.tier, excluded.image_url,
                          excluded.soulbound)`;

const PUT_NAMES_SQL = `
  INSERT INTO name (revision, wallet, display_name)
  SELECT $1, * FROM unnest($2::integer[], $3::text[])
  ON CONFLICT (wallet) DO UPDATE
  SET display_name = excluded.display_name, revision = excluded.revision
  WHERE name.display_name <> excluded.display_name`;

const KNOWN_SQL = `
  SELECT count(*) AS n, ${packed('place - 1')} AS places
  FROM unnest($1::integer[], $2::text[]) WITH ORDINALITY AS asked (wallet, id, place)
  WHERE EXISTS (
    SELECT FROM activity WHERE activity.wallet = asked.wallet AND activity.id = asked.id
  )`;

/** @returns of wallets that are busy now how many activities they have */
const ADD_TO_WALLETS_SQL = `
  WITH changed AS (
    UPDATE wallet
    SET points = wallet.points + gain.points, activities = wallet.activities + gain.activities,
        updated_at = $1
    FROM unnest($2::integer[], $3::bigint[], $4::integer[]) AS gain (wallet, points, activities)
    WHERE wallet.id = gain.wallet
    RETURNING wallet.id, wallet.activities
  )
  SELECT id, activities FROM changed WHERE activities > ${BUSY_ABOVE}`;

const ADD_AWARDS_SQL = `
  INSERT INTO award (wallet, badge, earned_at, seq)
  SELECT * FROM unnest($1::integer[], $2::integer[], $3::bigint[], $4::bigint[])
  ON CONFLICT (wallet, badge) DO UPDATE SET earned_at = excluded.earned_at
  WHERE award.earned_at > excluded.earned_at`;

const ADD_BUSY_SQL = `
  INSERT INTO busy_activity (wallet, timestamp, seq)
  SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bigint[])`;

const ADD_ALL_BUSY_SQL = `
  INSERT INTO busy_activity (wallet, timestamp, seq)
  SELECT wallet, timestamp, seq FROM activity WHERE wallet = ANY ($1::integer[])`;

/**
 * Puts what was staged into the ledger and its read model, in the transaction that the connection is
 * in. Nobody else may write meanwhile.
 * @returns how many activities are new
 * @throws Error for a badge that nobody defined
 */
export async function merge(
  connection: Connection,
  staged: Staged,
  { numbers, uid, now, isCareful }: MergeOptions,
): Promise<number> {
  const { client } = connection;
  const run = async (sql: string, values: readonly unknown[]): Promise<number> =>
    (await client.query(sql, [...values])).rowCount ?? 0;
  await client.query(PLANNING_SQL);
  const end = await endOf(connection);
  const revision = end.batch + 1;
  let changed = 0;
  if (staged.badges.length > 0) {
    changed += await run(PUT_BADGES_SQL, [revision, ...columnsOf(staged.badges)]);
  }
  const activities = joined(staged.activities);
  const badges = await badgeNumbers(connection, activities);
  numbers.trim();
  const { addresses } = activities;
  const wallets = Uint32Array.from(addresses, (address) => numbers.find(address) ?? 0);
  const strangers = strangersOf(activities, wallets, staged.names, numbers);
  const { added: newWallets, highest } = await numbers.meet(connection, strangers);
  for (const [place, number] of wallets.entries()) {
    if (number === 0) wallets[place] = numbers.find(addresses[place] as string) as number;
  }
  const ordered = inIndexOrder(activities, wallets);
  const fresh = isCareful ? await withoutKnown(connection, ordered, highest) : ordered;
  const count = fresh.places.length;
  await addActivities(connection, fresh, end.seq, badges);
  const gains = sumUp(fresh);
  await addWallets(connection, newWallets, gains, now);
  const busy = await addToWallets(connection, gains, highest, now);
  const awards = awardsOf(fresh, end.seq, badges);
  if (awards.wallets.length > 0) {
    const { wallets: earners, badges: won, earnedAt, seqs } = awards;
    await run(ADD_AWARDS_SQL, [earners, won, earnedAt, seqs].map(arrayOf));
  }
  const { became, rows } = busyOf(fresh, gains, end.seq, busy);
  if (became.length > 0) await run(ADD_ALL_BUSY_SQL, [became]);
  if (rows.wallets.length > 0) {
    await run(ADD_BUSY_SQL, [rows.wallets, rows.timestamps, rows.seqs].map(arrayOf));
  }
  const names = new Map(staged.names.map((each) => [each.wallet.address, each.displayName]));
  if (names.size > 0) {
    const named = [...names.keys()].map((address) => numbers.find(address));
    changed += await run(PUT_NAMES_SQL, [revision, named, [...names.values()]]);
  }
  if (count + changed > 0) {
    await run('INSERT INTO batch (id, last_seq, committed_at, uid) VALUES ($1, $2, $3, $4)', [
      revision,
      end.seq + count,
      now,
      uid,
    ]);
    await run(`SELECT pg_notify('${LOOK_CHANNEL}', $1)`, [String(revision)]);
  }
  return count;
}

/** Where the ledger ends before the commit. */
async function endOf({ client }: Connection): Promise<{ batch: number; seq: number }> {
  const { rows } = await client.query(
    `SELECT (SELECT coalesce(max(id), 0) FROM batch) AS batch,
            (SELECT coalesce(max(seq), 0) FROM activity) AS seq`,
  );
  return { batch: Number(rows[0]?.batch), seq: Number(rows[0]?.seq) };
}

/** The wallets whose numbers are to be asked for, with the places of their chains in CHAINS. */
function strangersOf(
  { addresses, chains }: ActivityColumns,
  own: Uint32Array,
  names: Staged['names'],
  numbers: WalletNumbers,
): Map<string, number> {
  const strangers = new Map<string, number>();
  for (const [place, address] of addresses.entries()) {
    if (own[place] === 0) strangers.set(address, chains[place] as number);
  }
  for (const { wallet } of names) {
    if (numbers.find(wallet.address) !== undefined) continue;
    strangers.set(wallet.address, CHAINS.indexOf(wallet.chain));
  }
  return strangers;
}

/** @returns of the badge that each activity earns; 0 where it earns none */
async function badgeNumbers(
  { client }: Connection,
  { badges }: ActivityColumns,
): Promise<Uint32Array> {
  const earned = new Map<string, number[]>();
  for (let place = 0; place < badges.ends.length; place++) {
    const id = textAt(badges, place);
    if (id === '') continue;
    const places = earned.get(id);
    if (places === undefined) earned.set(id, [place]);
    else places.push(place);
  }
  const own = new Uint32Array(badges.ends.length);
  if (earned.size === 0) return own;
  const { rows } = await client.query('SELECT id, number FROM badge WHERE id = ANY ($1)', [
    [...earned.keys()],
  ]);
  const numbers = new Map(rows.map((row) => [String(row.id), Number(row.number)]));
  for (const [id, places] of earned) {
    const number = numbers.get(id);
    if (number === undefined) throw new Error(`the badge ${id} is not in the store`);
    for (const place of places) own[place] = number;
  }
  return own;
}

/** Leaves out what the ledger has. @param highest number of the wallets that it may have something of */
async function withoutKnown(
  { client }: Connection,
  { activities, places, wallets }: Ordered,
  highest: number,
): Promise<Ordered> {
  let count = 0;
  while (count < wallets.length && (wallets[count] as number) <= highest) count++;
  const ids = Array.from(places.subarray(0, count), (place) => textAt(activities.ids, place));
  const { rows } = await client.query(KNOWN_SQL, [[...wallets.subarray(0, count)], ids]);
  const known = new Set(integersOf(rows[0]?.places, Number(rows[0]?.n)));
  if (known.size === 0) return { activities, places, wallets };
  return {
    activities,
    places: places.filter((_, row) => !known.has(row)),
    wallets: wallets.filter((_, row) => !known.has(row)),
  };
}

async function addActivities(
  connection: Connection,
  { activities, places, wallets }: Ordered,
  seq: number,
  badges: Uint32Array,
): Promise<void> {
  const { points, timestamps } = activities;
  const id = copyTexts(activities.ids);
  const type = copyTexts(activities.types);
  const description = copyTexts(activities.descriptions);
  const table = 'activity (seq, timestamp, wallet, points, badge, id, type, description)';
  await copyIn(connection, table, places.length, (row) => {
    const place = places[row] as number;
    const badge = badges[place] || '\\N';
    const figures = `${seq + row + 1}\t${timestamps[place]}\t${wallets[row]}\t${points[place]}\t${badge}`;
    return `${figures}\t${id(place)}\t${type(place)}\t${description(place)}\n`;
  });
}

async function addWallets(
  connection: Connection,
  added: readonly NewWallet[],
  gains: Gains,
  now: number,
): Promise<void> {
  const places = new Map(gains.wallets.map((wallet, place) => [wallet, place]));
  const table = 'wallet (id, chain, points, updated_at, activities, address)';
  await copyIn(connection, table, added.length, (index) => {
    const { number, chain, address } = added[index] as NewWallet;
    const place = places.get(number);
    const sums =
      place === undefined
        ? '0\t0\t0'
        : `${gains.points[place]}\t${now}\t${gains.activities[place]}`;
    return `${number}\t${chain}\t${sums}\t${copyText(address)}\n`;
  });
}

/** @returns by busy wallet how many activities it has now */
async function addToWallets(
  { client }: Connection,
  gains: Gains,
  highest: number,
  now: number,
): Promise<Map<number, number>> {
  const busy = new Map<number, number>();
  const { wallets, points, activities } = gains;
  // Wallets are in order, so those that were there before come first.
  let old = 0;
  while (old < wallets.length && (wallets[old] as number) <= highest) old++;
  for (let place = old; place < wallets.length; place++) {
    const count = activities[place] as number;
    if (count > BUSY_ABOVE) busy.set(wallets[place] as number, count);
  }
  if (old === 0) return busy;
  const columns = [wallets, points, activities].map((each) => arrayOf(each.slice(0, old)));
  const { rows } = await client.query(ADD_TO_WALLETS_SQL, [now, ...columns]);
  for (const row of rows) busy.set(Number(row.id), Number(row.activities));
  return busy;
}

/** An array of integers as Postgres writes it; pg would look at every one. */
function arrayOf(integers: readonly number[]): string {
  return `{${integers.join(',')}}`;
}

function columnsOf(all: readonly BadgeDefinition[]): unknown[] {
  // Of several with one id the last one holds.
  const badges = [...new Map(all.map((badge) => [badge.id, badge])).values()];
  return [
    badges.map((each) => each.id),
    badges.map((each) => each.name),
    badges.map((each) => each.description),
    badges.map((each) => each.tier),
    badges.map((each) => each.imageUrl),
    badges.map((each) => (each.soulbound ? 1 : 0)),
  ];
}
