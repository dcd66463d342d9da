import {
  differsFromEarlier,
  type EventCommit,
  isSameContent,
  type LedgerRefusal,
  tooManyActivities,
} from '#import';
import { type ActivityColumns, joinActivityColumns, textAt, textColumn } from '#reputation';
import { ImportPacker } from '#storage/changes/commit-changes';
import type { PlannedCorrection } from '#storage/corrections';
import type { BatchName } from '#storage/following/position';
import type { DedicatedConnection } from '#storage/postgres/connection';
import { CHAINS } from '#wallet';
import { ADD_PARTS_SQL, COMMIT_CHANNEL, copyIn, copyTexts, countOf, partValues } from './batch.ts';
import { mergeEvents } from './events.ts';
import {
  awardsOf,
  busyOf,
  type IndexOrder,
  inIndexOrder,
  requireRoom,
  sumUp,
  type WalletDeltas,
} from './index-order.ts';
import {
  type ActivityMatch,
  contentAt,
  type KnownRows,
  knownAmong,
  refusalsOf,
} from './known-activities.ts';
import {
  ADD_ALL_BUSY_SQL,
  ADD_BATCH_SQL,
  ADD_BUSY_SQL,
  addAwards,
  arrayOf,
  badgeColumns,
  grantedByRules,
  noteCorrections,
  PUT_BADGES_SQL,
  PUT_NAMES_SQL,
} from './merge-parts.ts';
import type { Staged } from './staged.ts';
import { addSums, BY_KEY_SQL } from './sums.ts';
import type { NewWallet, WalletNumbers } from './wallet-ids.ts';

export interface MergeOptions {
  readonly numbers: WalletNumbers;
  /** Uid of the newest batch when `numbers` were last used; undefined if there was none. */
  readonly newest: string | undefined;
  /** The uid of the batch being written. */
  readonly uid: string;
  /** Seconds since 1970. */
  readonly now: number;
  /**
   * Whether to check first which activities the ledger has. Otherwise a known one fails COPY with a
   * unique violation, and the batch must be repeated.
   */
  readonly isCareful: boolean;
  /** Wallets that can't have more activities; requires care. */
  readonly full: ReadonlySet<number>;
  /** Corrections whose adjustments are among the activities. */
  readonly corrections: readonly PlannedCorrection[];
}

export interface MergeResult {
  /** Number of new activities. */
  readonly added: number;
  /** Activities that contradict known ones, by index. */
  readonly refused: readonly LedgerRefusal[];
  /** The result for the events; undefined if there were none. */
  readonly events: EventCommit | undefined;
  /** Uid of the newest batch now; undefined if there is none. */
  readonly newest: string | undefined;
  /** The new batch; undefined if nothing was new. */
  readonly made: BatchName | undefined;
  /** The newest ledger row now. */
  readonly seq: number;
}

/**
 * Merges what was staged into the ledger and its read model, within the connection's transaction.
 * Requires the write lock.
 * @throws Error for an undefined badge; TooManyActivities
 */
export async function merge(
  connection: DedicatedConnection,
  staged: Staged,
  { numbers, newest, uid, now, isCareful, full, corrections }: MergeOptions,
): Promise<MergeResult> {
  const { client } = connection;
  const run = async (sql: string, values: readonly unknown[]): Promise<number> =>
    (await client.query(sql, [...values])).rowCount ?? 0;
  const end = await endOf(connection);
  if (end.uid !== newest || numbers.isFull) {
    // Another process has written: reading activity counts again requires up-to-date sums.
    await addSums(connection);
    numbers.forget(end.seq);
  }
  await client.query(BY_KEY_SQL);
  const revision = end.batch + 1;
  let changed = 0;
  if (staged.badges.length > 0) {
    changed += await run(PUT_BADGES_SQL, [revision, ...badgeColumns(staged.badges)]);
  }
  const activities = joinActivityColumns(staged.activities.map((part) => part.columns));
  const badges = await badgeNumbers(connection, activities);
  const names = new Map(staged.names.map((each) => [each.wallet.address, each.displayName]));
  const strangers = strangersOf(staged, numbers);
  await addWallets(connection, await numbers.meet(connection, strangers, end.wallet));
  const places = placesOf(staged, numbers);
  const wallets = places.map((place) => numbers.number(place));
  const ordered = inIndexOrder(activities, wallets);
  const known = isCareful ? await knownOf(connection, ordered, end.wallet) : undefined;
  const added = known === undefined ? ordered : without(ordered, known);
  const refused = await refusalsAmong(connection, ordered, known);
  const fresh = withoutFull(added, full, refused);
  const count = fresh.places.length;
  const model = once(() => {
    const gains = requireRoom(gainsOf(fresh, places, { numbers, now }));
    return { gains, awards: awardsOf(fresh, end.seq, badges), ...busyOf(fresh, end.seq, gains) };
  });
  await addActivities(connection, fresh, end.seq, badges, model);
  const { gains, awards, became, rows } = model();
  const earned = await addAwards(connection, awards, (award) => {
    const place = fresh.places[award.seq - end.seq - 1] as number;
    return numbers.earn(places[place] as number, award.badge);
  });
  if (became.length > 0) await run(ADD_ALL_BUSY_SQL, [became]);
  if (rows.wallets.length > 0) {
    await run(ADD_BUSY_SQL, [rows.wallets, rows.timestamps, rows.seqs].map(arrayOf));
  }
  if (names.size > 0) {
    const named = numbers
      .find(textColumn([...names.keys()]))
      .all.map((place) => numbers.number(place));
    changed += await run(PUT_NAMES_SQL, [revision, [...named], [...names.values()]]);
  }
  const dropped = await noteCorrections(connection, corrections);
  const events = await mergeEvents(connection, staged.events, numbers);
  if (count + changed + (events?.added ?? 0) === 0) {
    return { added: 0, refused, events, newest: end.uid, made: undefined, seq: end.seq };
  }
  const granted = await grantedByRules(connection, gains.wallets, earned);
  const packer = new ImportPacker(granted, dropped);
  for (const [index, wallet] of gains.wallets.entries()) {
    const place = places[fresh.places[gains.from[index] as number] as number] as number;
    const before = (gains.totals[index] as number) - (gains.activities[index] as number);
    const gain = gains.points[index] as number;
    packer.add(wallet, numbers.points(place), gain, before, earned.get(wallet));
  }
  const changes = packer.end();
  const changesTo = end.changes + countOf(changes);
  await run(ADD_BATCH_SQL, [revision, end.seq + count, now, uid, changesTo]);
  if (changes.length > 0) {
    await run(ADD_PARTS_SQL, partValues(changes, end.changes + 1, revision));
  }
  await run(`SELECT pg_notify('${COMMIT_CHANNEL}', $1)`, [String(revision)]);
  const made = { id: revision, uid };
  return { added: count, refused, events, newest: uid, made, seq: end.seq + count };
}

/** The end of the ledger before the commit. */
interface End {
  readonly batch: number;
  readonly seq: number;
  readonly wallet: number;
  /** The uid of the batch being written. */
  readonly uid: string | undefined;
  /** Entries of the feed of changes. */
  readonly changes: number;
}

export async function endOf({ client }: DedicatedConnection): Promise<End> {
  const { rows } = await client.query(
    `SELECT batch.id AS batch, batch.uid, batch.changes,
            (SELECT coalesce(max(seq), 0) FROM activity) AS seq,
            (SELECT coalesce(max(id), 0) FROM wallet) AS wallet
     FROM (SELECT) AS one
     LEFT JOIN (SELECT id, uid, changes FROM batch ORDER BY id DESC LIMIT 1) AS batch ON true`,
  );
  const { batch, uid, seq, wallet, changes } = rows[0] ?? {};
  return {
    batch: Number(batch ?? 0),
    seq: Number(seq),
    wallet: Number(wallet),
    uid: uid === null ? undefined : String(uid),
    changes: Number(changes ?? 0),
  };
}

/** The wallets to look up, with the indexes of their chains in CHAINS. */
function strangersOf(
  { activities, names, events }: Staged,
  numbers: WalletNumbers,
): Map<string, number> {
  const strangers = new Map<string, number>();
  for (const { columns, wallets } of activities) {
    const { addresses, chains } = columns;
    for (const [index, place] of numbers.findAgain(addresses, wallets).all.entries()) {
      if (place === 0) strangers.set(textAt(addresses, index), chains[index] as number);
    }
  }
  for (const many of [names, events]) {
    const found = numbers.find(textColumn(many.map(({ wallet }) => wallet.address))).all;
    for (const [index, { wallet }] of many.entries()) {
      if (found[index] === 0) strangers.set(wallet.address, CHAINS.indexOf(wallet.chain));
    }
  }
  return strangers;
}

/** The places of the activities' wallets in the cache, which has all of them by now. */
function placesOf({ activities }: Staged, numbers: WalletNumbers): Uint32Array {
  const places = new Uint32Array(
    activities.reduce((sum, { wallets }) => sum + wallets.all.length, 0),
  );
  let from = 0;
  for (const { columns, wallets } of activities) {
    places.set(numbers.findAgain(columns.addresses, wallets).all, from);
    from += wallets.all.length;
  }
  return places;
}

/** @returns the number of the badge that each activity earns; 0 for none */
async function badgeNumbers(
  { client }: DedicatedConnection,
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
    if (number === undefined) throw new Error(`the badge ${id} isn't in the store`);
    for (const place of places) own[place] = number;
  }
  return own;
}

/** What the ledger has of them. @param highest wallet number that it may have rows for */
async function knownOf(
  connection: DedicatedConnection,
  { activities, places, wallets }: IndexOrder,
  highest: number,
): Promise<KnownRows> {
  let count = 0;
  while (count < wallets.length && (wallets[count] as number) <= highest) count++;
  const ids = Array.from(places.subarray(0, count), (place) => textAt(activities.ids, place));
  return knownAmong(connection, [...wallets.subarray(0, count)], ids);
}

function without(ordered: IndexOrder, { places }: KnownRows): IndexOrder {
  if (places.length === 0) return ordered;
  const known = new Set(places);
  return {
    ...ordered,
    places: ordered.places.filter((_, row) => !known.has(row)),
    wallets: ordered.wallets.filter((_, row) => !known.has(row)),
  };
}

/** @param refused receives what belongs to full wallets */
function withoutFull(
  ordered: IndexOrder,
  full: ReadonlySet<number>,
  refused: LedgerRefusal[],
): IndexOrder {
  if (full.size === 0) return ordered;
  const { places, wallets } = ordered;
  const isFull = (row: number) => full.has(wallets[row] as number);
  for (const [row, place] of places.entries()) {
    if (isFull(row)) refused.push({ place, ...tooManyActivities() });
  }
  return {
    ...ordered,
    places: places.filter((_, row) => !isFull(row)),
    wallets: wallets.filter((wallet) => !full.has(wallet)),
  };
}

/** Refuses activities that contradict the ledger, or an earlier one of the commit. */
async function refusalsAmong(
  connection: DedicatedConnection,
  { activities, places, repeated }: IndexOrder,
  known: KnownRows | undefined,
): Promise<LedgerRefusal[]> {
  const given: ActivityMatch[] = [];
  const rows = new Map<number, number>();
  if (known !== undefined) {
    for (const [row, asked] of known.places.entries()) {
      const place = places[asked] as number;
      given.push({ place, row });
      if (repeated.length > 0) rows.set(place, row);
    }
  }
  const refused: LedgerRefusal[] = [];
  for (const [place, first] of repeated) {
    const row = rows.get(first);
    if (row !== undefined) given.push({ place, row });
    else if (!isSameContent(contentAt(activities, place), contentAt(activities, first))) {
      refused.push({ place, ...differsFromEarlier(textAt(activities.ids, place)) });
    }
  }
  if (known !== undefined) {
    refused.push(...(await refusalsOf(connection, activities, known, given)));
  }
  return refused;
}

async function addActivities(
  connection: DedicatedConnection,
  { activities, places, wallets }: IndexOrder,
  seq: number,
  badges: Uint32Array,
  whenSent: () => void,
): Promise<void> {
  const { points, timestamps } = activities;
  const id = copyTexts(activities.ids);
  const type = copyTexts(activities.types);
  const description = copyTexts(activities.descriptions);
  const table = 'activity (seq, timestamp, wallet, points, badge, id, type, description)';
  const rowAt = (row: number) => {
    const place = places[row] as number;
    const badge = badges[place] || '\\N';
    const figures = `${seq + row + 1}\t${timestamps[place]}\t${wallets[row]}\t${points[place]}\t${badge}`;
    return `${figures}\t${id(place)}\t${type(place)}\t${description(place)}\n`;
  };
  await copyIn(connection, table, places.length, rowAt, whenSent);
}

/** What the activities add to wallets, which is also recorded in the cache. */
function gainsOf(
  fresh: IndexOrder,
  places: Uint32Array,
  { numbers, now }: Pick<MergeOptions, 'numbers' | 'now'>,
): WalletDeltas {
  return sumUp(fresh, (first, activities, points) => {
    const place = places[fresh.places[first] as number] as number;
    return numbers.gain(place, { activities, points, at: now });
  });
}

/** Memoizes the result. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** With zero sums: they are updated later. */
async function addWallets(
  connection: DedicatedConnection,
  added: readonly NewWallet[],
): Promise<void> {
  await copyIn(connection, 'wallet (id, chain, address)', added.length, (index) => {
    const { number, chain, address } = added[index] as NewWallet;
    return `${number}\t${chain}\t${address}\n`;
  });
}
