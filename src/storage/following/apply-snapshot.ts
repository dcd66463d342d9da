import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Row } from '#storage/sql/script';
import { CHAINS, type Chain } from '#wallet';
import { CHAINS_MAX } from './fill-standings.ts';
import type { LoadedLedger } from './position.ts';
import { type Batch, defineBadges, type LedgerSnapshot, type RowPage } from './snapshot.ts';

/**
 * Wallets applied before requests that arrived meanwhile are answered. Each takes some 5 µs, in tens of
 * millions of wallets twice that.
 */
const AT_ONCE = 16;
/** A snapshot held for long keeps the database from vacuuming. */
const SNAPSHOT_MS = 5_000;

const HIGHEST_INTEGER = 2 ** 31 - 1;
const NOTHING: readonly Row[] = [];

/**
 * Applies what a snapshot has and the standings don't, batch by batch. If there is a lot, only the
 * first batches, so that the rest comes from a newer snapshot.
 * @param onBatch called after each batch
 * @throws Error for inconsistent data. What was applied until then can't be trusted.
 */
export async function applySnapshot(
  snapshot: LedgerSnapshot,
  loaded: LoadedLedger,
  signal?: AbortSignal,
  onBatch?: () => void,
): Promise<void> {
  const { head } = snapshot;
  const { position } = loaded;
  const end = performance.now() + SNAPSHOT_MS;
  if (head.newest.id !== position.newest.id) {
    position.newest = head.newest;
    position.changed();
  }
  await takeInWallets(snapshot, loaded, signal);
  if (head.badges > position.badges) await applyBadges(snapshot, loaded);
  if (head.names > position.names || position.isBetween) {
    await applyNames(snapshot, loaded, signal);
  }
  await applyBatches(snapshot, loaded, signal, end, onBatch);
}

/**
 * The same, for wallets, badges and names that are applied already. @param end when it may stop, by
 * performance.now()
 */
export async function applyBatches(
  snapshot: LedgerSnapshot,
  loaded: LoadedLedger,
  signal?: AbortSignal,
  end = Number.POSITIVE_INFINITY,
  onBatch?: () => void,
): Promise<void> {
  const { position } = loaded;
  while (position.batch < snapshot.head.newest.id) {
    const batches = await snapshot.batches(position.batch);
    if (batches.length === 0) throw new Error(`batches behind ${position.batch} are missing`);
    for (const batch of batches) {
      // A batch with nothing to apply still takes queries, and there may be many of them.
      await yieldToEventLoop();
      signal?.throwIfAborted();
      await takeInRows(snapshot, loaded, batch, signal);
      await takeInCorrections(snapshot, loaded, batch, signal);
      await takeInChanges(snapshot, loaded, batch, signal);
      position.completed({ id: batch.id, uid: batch.uid }, batch.committedAt);
      position.changed();
      onBatch?.();
      if (performance.now() > end) return;
    }
  }
}

/** Adds new wallets; none of them counts as a user before its rows are applied. */
async function takeInWallets(
  snapshot: LedgerSnapshot,
  { standings, position }: LoadedLedger,
  signal: AbortSignal | undefined,
): Promise<void> {
  while (position.wallets < snapshot.head.wallets) {
    const { count, pairs, addresses, last } = await snapshot.wallets(position.wallets);
    if (count === 0) throw new Error(`wallets behind ${position.wallets} are missing`);
    await inMoments(count, signal, (at) => {
      const pair = pairs[at] as number;
      const wallet = Math.floor(pair / CHAINS_MAX);
      if (!standings.has(wallet)) {
        const chain = CHAINS[pair - wallet * CHAINS_MAX] as Chain;
        standings.addWallet(wallet, chain, addresses[at] as string);
      }
      return at + 1;
    });
    position.wallets = last;
  }
}

/** Applies badges written since. They may belong to batches that aren't applied yet. */
export async function applyBadges(
  snapshot: LedgerSnapshot,
  { standings, position }: LoadedLedger,
): Promise<void> {
  const after = position.badges;
  const revision = await defineBadges(standings, (above) => snapshot.badges(after, above));
  position.badges = Math.max(after, revision);
  position.changed();
}

/** Applies display names written since. They may belong to batches that aren't applied yet. */
export async function applyNames(
  snapshot: LedgerSnapshot,
  { standings, position }: LoadedLedger,
  signal?: AbortSignal,
): Promise<void> {
  let [revision, last] = [position.names, HIGHEST_INTEGER];
  for (let isLast = false; !isLast; ) {
    const page = await snapshot.names(revision, last);
    isLast = page.isLast;
    if (page.count === 0) break;
    position.isBetween = true;
    const { wallets, names } = page;
    await inMoments(page.count, signal, (at) => {
      const wallet = wallets[at] as number;
      if (!standings.has(wallet)) throw new Error(`wallet ${wallet} has a name but no address`);
      standings.setName(wallet, names[at] as string);
      position.changed();
      return at + 1;
    });
    [revision, last] = [page.revision, wallets[page.count - 1] as number];
  }
  position.names = revision;
  position.isBetween = false;
  position.changed();
}

/**
 * Applies a batch's ledger rows. Those of one wallet are adjacent and count as one change, together with what its
 * corrections among them changed about badges.
 */
async function takeInRows(
  snapshot: LedgerSnapshot,
  loaded: LoadedLedger,
  batch: Batch,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { standings, position } = loaded;
  const { lastSeq, committedAt } = batch;
  let mayCorrect = true;
  while (position.seq < lastSeq) {
    const page = await snapshot.rows(position.seq, lastSeq);
    const { seqs, wallets, points, badges, timestamps } = page;
    if (page.count === 0) throw new Error(`rows of the ledger up to ${lastSeq} are missing`);
    const rows: readonly Row[] = mayCorrect
      ? await snapshot.corrected(batch, position.seq)
      : NOTHING;
    mayCorrect = rows.length > 0;
    // The other rows of its last wallet may be on the next page.
    const count = mayCorrect && seqs[page.count - 1] !== lastSeq ? wholeWallets(page) : page.count;
    const end = seqs[count - 1] as number;
    const corrected = correctionsIn(rows.filter(({ seq }) => Number(seq) <= end));
    const times = mayCorrect ? await readTimes(snapshot, loaded, new Set(corrected.keys())) : NONE;
    await inMoments(count, signal, (from) => {
      const wallet = wallets[from] as number;
      if (!standings.has(wallet)) throw new Error(`row ${seqs[from]} has an unknown wallet`);
      let sum = 0;
      let next = from;
      for (; next < count && wallets[next] === wallet; next++) {
        sum += points[next] as number;
        const badge = badges[next] as number;
        if (badge === 0) continue;
        if (!standings.hasBadge(badge)) throw new Error(`row ${seqs[next]} has an unknown badge`);
        standings.addBadge(wallet, badge, timestamps[next] as number);
      }
      const corrections = corrected.get(wallet);
      if (corrections !== undefined) correctBadges(loaded, wallet, corrections, times);
      standings.apply(wallet, { activities: next - from, points: sum, committedAt });
      position.seq = seqs[next - 1] as number;
      position.changed();
      return next;
    });
  }
}

/** How many rows of a page belong to wallets before its last one; all if it's the only one. */
function wholeWallets({ count, wallets }: RowPage): number {
  let whole = count - 1;
  while (whole > 0 && wallets[whole - 1] === wallets[count - 1]) whole -= 1;
  return whole === 0 ? count : whole;
}

/** A badge's number, or null, for each correction of a wallet. */
type LostBadges = readonly (number | null)[];

function correctionsIn(rows: readonly Row[]): ReadonlyMap<number, LostBadges> {
  const byWallet = new Map<number, (number | null)[]>();
  for (const { wallet, lost } of rows) {
    const own = byWallet.get(Number(wallet)) ?? [];
    byWallet.set(Number(wallet), own);
    own.push(lost === null ? null : Number(lost));
  }
  return byWallet;
}

function correctBadges(
  loaded: LoadedLedger,
  wallet: number,
  corrections: LostBadges,
  times: AwardTimes,
): void {
  for (const lost of corrections) {
    if (lost !== null) loaded.standings.removeBadge(wallet, lost);
  }
  setTimes(loaded, wallet, times);
}

/**
 * Applies once more what a batch's corrections changed about badges, now that all its rows are applied: of a
 * wallet with more rows than fit a page, a row may have given back what an earlier one took.
 */
async function takeInCorrections(
  snapshot: LedgerSnapshot,
  loaded: LoadedLedger,
  batch: Batch,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { position } = loaded;
  for (let after = 0; ; ) {
    const rows = await snapshot.corrected(batch, after);
    if (rows.length === 0) return;
    await yieldToEventLoop();
    const corrected = [...correctionsIn(rows)];
    const times = await readTimes(snapshot, loaded, new Set(corrected.map(([wallet]) => wallet)));
    await inMoments(corrected.length, signal, (at) => {
      const [wallet, corrections] = corrected[at] as (typeof corrected)[number];
      correctBadges(loaded, wallet, corrections, times);
      position.changed();
      return at + 1;
    });
    after = Number(rows.at(-1)?.seq);
  }
}

/** Applies what a batch changed of what rules granted. */
async function takeInChanges(
  snapshot: LedgerSnapshot,
  loaded: LoadedLedger,
  batch: Batch,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { standings, position } = loaded;
  while (position.change < snapshot.head.changes) {
    const page = await snapshot.changes(batch, position.change);
    if (page.count === 0) return;
    await yieldToEventLoop();
    const times = await readTimes(snapshot, loaded, new Set(Array.from(page.wallets)));
    await inMoments(page.count, signal, (at) => {
      const [number, wallet] = [page.numbers[at] as number, page.wallets[at] as number];
      if (!standings.has(wallet)) throw new Error(`change ${number} has an unknown wallet`);
      for (const badge of badgesIn(page.gained[at])) {
        if (!standings.hasBadge(badge)) throw new Error(`change ${number} has an unknown badge`);
        const earnedAt = times.get(wallet)?.get(badge);
        // Otherwise a later batch takes it back.
        if (earnedAt !== undefined) standings.addBadge(wallet, badge, earnedAt);
      }
      for (const badge of badgesIn(page.lost[at])) standings.removeBadge(wallet, badge);
      setTimes(loaded, wallet, times);
      standings.apply(wallet, {
        activities: page.activities[at] as number,
        points: page.points[at] as number,
        committedAt: batch.committedAt,
      });
      position.change = number;
      position.changed();
      return at + 1;
    });
  }
}

/** `3,17` → [3, 17] */
function badgesIn(text: string | undefined): readonly number[] {
  return text === undefined || text === '' ? [] : text.split(',').map(Number);
}

/**
 * Runs `take` until everything is applied, yielding to the event loop after what was fetched and in between.
 * @param take applies what is at a place, and returns the next place
 * @throws the signal's reason
 */
async function inMoments(
  count: number,
  signal: AbortSignal | undefined,
  take: (at: number) => number,
): Promise<void> {
  let at = 0;
  while (at < count) {
    await yieldToEventLoop();
    signal?.throwIfAborted();
    for (let taken = 0; at < count && taken < AT_ONCE; taken++) at = take(at);
  }
  await yieldToEventLoop();
}

/** When badges were earned, by wallet and badge. */
type AwardTimes = ReadonlyMap<number, ReadonlyMap<number, number>>;

/**
 * Reads when wallets earned their badges. The database may be ahead of the batch that is being applied; once
 * its other batches are applied too, the times are those of what is shown.
 */
async function readTimes(
  snapshot: LedgerSnapshot,
  { position }: LoadedLedger,
  wallets: ReadonlySet<number>,
): Promise<AwardTimes> {
  const { awards, newest } = await snapshot.awards([...wallets]);
  position.awardsAsOf = Math.max(position.awardsAsOf, newest);
  const times = new Map<number, Map<number, number>>();
  for (const [wallet, badge, at] of awards) {
    const own = times.get(wallet) ?? new Map<number, number>();
    times.set(wallet, own);
    // A badge earned both by an import and by a rule counts from the earlier of the two.
    own.set(badge, Math.min(own.get(badge) ?? at, at));
  }
  return times;
}

const NONE: AwardTimes = new Map();

/** Sets the times of badges that a wallet has. One that will be lost by a later batch keeps its time. */
function setTimes({ standings }: LoadedLedger, wallet: number, times: AwardTimes): void {
  for (const [badge, at] of times.get(wallet) ?? []) standings.setEarnedAt(wallet, badge, at);
}
