import { RetryableError, type RetryOptions, withRetry } from '#base';
import type { BadgeDefinition, ImportedEvent, LedgerActivity, LedgerCorrection } from '#reputation';
import type { Wallet } from '#wallet';
import { retractsNothing } from './differences.ts';
import type { EventCommit, LedgerRefusal, LedgerWriter } from './ledger-writer.ts';
import { createLineParser, type ImportRecord, type LineParserOptions } from './line.ts';
import { type LineRefusal, refusal } from './refusal.ts';

/** A line's location. */
interface LineLocation {
  readonly file: string;
  readonly number: number;
}

/**
 * The locations of staged, uncommitted lines, in order, without their texts: there are too many.
 */
class StagedLines {
  #numbers: number[] = [];
  #files: string[] = [];

  push({ file, number }: LineLocation): void {
    this.#numbers.push(number);
    this.#files.push(file);
  }

  /** Removes the first ones. @returns each by its index among them */
  take(count: number): (index: number) => LineLocation {
    const numbers = this.#numbers;
    const files = this.#files;
    this.#numbers = numbers.slice(count);
    this.#files = files.slice(count);
    return (index) => {
      const [file, number] = [files[index], numbers[index]];
      if (index >= count || file === undefined || number === undefined) {
        throw new RangeError("bug: refused a line that wasn't staged");
      }
      return { file, number };
    };
  }
}

const ADVICE =
  "Committed lines stay; once that's fixed, run the same command again to complete the import.";

/** A line of the input, without its line break. */
export interface InputLine {
  /** The file's name, for people. */
  readonly file: string;
  /** From 1. */
  readonly number: number;
  /** The text, or its start if the line is already rejected. */
  readonly text: string;
  /** Set if the line couldn't be decoded. */
  readonly refusal?: LineRefusal;
}

/** Stores lines for later, in order. */
export interface LineSpool {
  push(line: InputLine): void;
  /** Returns all pushed lines. Nothing is pushed afterwards. */
  drain(): AsyncIterable<readonly InputLine[]>;
}

/**
 * Counts of an import, so far or in total. In lines, except `added` and `known`, and those of
 * events.
 */
interface ImportCounts {
  lines: number;
  /** New activities. */
  added: number;
  /** Activities the ledger already had. */
  known: number;
  /** New events. */
  eventsAdded: number;
  /** Events that already existed. */
  eventsKnown: number;
  /** Badge definitions written. */
  badges: number;
  /** Display names written. */
  names: number;
  refused: number;
}

export interface ImportOptions extends Omit<LineParserOptions, 'knowsBadge'> {
  readonly input: AsyncIterable<readonly InputLine[]>;
  readonly writer: LedgerWriter;
  /** For activities whose badge isn't defined yet. */
  readonly spool: LineSpool;
  /** For corrections and retractions, which follow everything they may be about. */
  readonly corrections: LineSpool;
  readonly retry: RetryOptions;
  onRefused(line: InputLine, refusal: LineRefusal): void;
  /** Called after every group of lines and every batch. */
  onProgress?(counts: Readonly<ImportCounts>): void;
  /** Stops the import before the next group of lines; finishes a batch being written. */
  readonly signal?: AbortSignal;
  /** Lines per batch; for tests. */
  readonly batchLines?: number;
}

export interface ImportResult extends ImportCounts {
  /** Whether the signal stopped it early. */
  readonly stopped: boolean;
}

/** Large enough to make the transaction's cost negligible, small enough for memory. */
const BATCH_LINES = 50_000;
/** In characters of the lines. */
const BATCH_TEXT = 16 * 1024 * 1024;

/**
 * Imports lines into the ledger in batches. Lines may be in any order: activities whose badge is
 * defined further down wait in a spool until the end, and so do corrections, which come last, in
 * their order.
 * @throws RetryableError if the ledger accepts no batch for as long as `retry` allows; earlier
 *   batches stay, and importing the same input again adds the rest
 * @throws UserError `commits-lost`: the same helps
 */
export async function importLines(options: ImportOptions): Promise<ImportResult> {
  const { writer, spool, corrections, signal } = options;
  const counts: ImportCounts = {
    lines: 0,
    added: 0,
    known: 0,
    eventsAdded: 0,
    eventsKnown: 0,
    badges: 0,
    names: 0,
    refused: 0,
  };
  const badges = new Set<string>();
  const parse = createLineParser({ ...options, knowsBadge: (id) => badges.has(id) });
  const staged = new StagedLines();
  const stagedEvents = new StagedLines();
  let batch = emptyBatch();
  let committing: Promise<void> = Promise.resolve();
  let isHeldUp = false;
  const retry: RetryOptions = {
    ...options.retry,
    advice: ADVICE,
    onWait(error, waitMs) {
      isHeldUp = true;
      options.retry.onWait?.(error, waitMs);
    },
  };

  async function commit({ badges, names }: BatchCounts): Promise<void> {
    const {
      added,
      known,
      refused = [],
      events = NO_EVENTS,
    } = await withRetry(() => writer.commit(), retry, signal);
    isHeldUp = false;
    refuseStaged(staged, added + known + refused.length, refused);
    const eventCount = events.added + events.known + events.refused.length;
    refuseStaged(stagedEvents, eventCount, events.refused);
    counts.added += added;
    counts.known += known;
    counts.eventsAdded += events.added;
    counts.eventsKnown += events.known;
    counts.badges += badges;
    counts.names += names;
    options.onProgress?.(counts);
  }

  /** While the ledger accepts nothing we stage no more: staged input is in memory. */
  async function stage(part: Part): Promise<void> {
    if (isHeldUp) await committing;
    await writer.stage(part);
    if (part.corrections.length > 0) await writer.stageCorrections(part.corrections);
  }

  /** Starts committing the batch. A writer with its own thread works while we read on. */
  async function flush(): Promise<void> {
    await committing;
    if (batch.lines === 0) return;
    committing = commit(batch);
    // Awaited later; until then its rejection must not be unhandled.
    committing.catch(() => undefined);
    batch = emptyBatch();
  }

  /** @param count number of staged lines a commit handled */
  function refuseStaged(
    lines: StagedLines,
    count: number,
    refused: readonly LedgerRefusal[],
  ): void {
    const lineAt = lines.take(count);
    for (const { place, code, reason } of refused) {
      refuse({ ...lineAt(place), text: '' }, refusal(code, reason));
    }
  }

  function refuse(line: InputLine, refusal: LineRefusal): void {
    counts.refused += 1;
    options.onRefused(line, refusal);
  }

  /** Indexes of lines that retract what the ledger doesn't have. */
  async function retractingNothing(lines: readonly InputLine[]): Promise<ReadonlySet<number>> {
    const asked = lines.flatMap((line, index) => {
      const record = line.refusal ?? parse(line.text);
      return record.kind === 'retraction' ? [{ index, about: record.about }] : [];
    });
    if (asked.length === 0) return new Set();
    const events = asked.map(({ about }) => about);
    // Each known event differs from what is asked for.
    const known = await withRetry(() => writer.compareEvents(events), retry, signal);
    const there = new Set(known.map(({ place }) => place));
    return new Set(asked.flatMap(({ index }, place) => (there.has(place) ? [] : [index])));
  }

  async function take(lines: readonly InputLine[], pass: Pass): Promise<void> {
    const unknown = pass === 'corrections' ? await retractingNothing(lines) : new Set<number>();
    let part = emptyPart();
    for (const [index, line] of lines.entries()) {
      if (pass === 'first') counts.lines += 1;
      const record = line.refusal ?? parse(line.text);
      if (record.kind === 'refused') {
        if (record.code === 'unknown-badge' && pass === 'first') spool.push(line);
        else refuse(line, record);
        continue;
      }
      const isLast = record.kind === 'correction' || record.kind === 'retraction';
      if (isLast && pass !== 'corrections') {
        corrections.push(line);
        continue;
      }
      if (unknown.has(index)) {
        refuse(line, retractsNothing());
        continue;
      }
      if (record.kind === 'badge') badges.add(record.badge.id);
      if (record.kind === 'activity' || record.kind === 'correction') staged.push(line);
      if (record.kind === 'event' || record.kind === 'retraction') stagedEvents.push(line);
      add(part, record);
      count(batch, record, line.text.length);
      if (isFull(batch, options.batchLines ?? BATCH_LINES)) {
        await stage(part);
        part = emptyPart();
        await flush();
      }
    }
    await stage(part);
    options.onProgress?.(counts);
  }

  async function takeAll(groups: AsyncIterable<readonly InputLine[]>, pass: Pass) {
    for await (const lines of groups) {
      if (signal?.aborted) return;
      await take(lines, pass);
    }
    if (!signal?.aborted) await flush();
  }

  try {
    // The first query waits for a ledger that can't be opened yet.
    for (const id of await withRetry(
      () => writer.knownBadges(),
      { ...options.retry, advice: ADVICE },
      signal,
    )) {
      badges.add(id);
    }
    await takeAll(options.input, 'first');
    await takeAll(spool.drain(), 'waited');
    // Everything that may be corrected is committed by then.
    await committing;
    await takeAll(corrections.drain(), 'corrections');
    await committing;
    if (!signal?.aborted) await withRetry(() => writer.confirm(), retry, signal);
  } catch (error) {
    // Being stopped between two retries isn't a fault.
    if (!signal?.aborted || error !== signal.reason) throw error;
  }
  await finish(writer);
  return { ...counts, stopped: signal?.aborted ?? false };
}

/** All batches are committed, so a ledger too busy to clean up isn't a fault. */
async function finish(writer: LedgerWriter): Promise<void> {
  try {
    await writer.finish();
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
  }
}

const NO_EVENTS: EventCommit = { added: 0, known: 0, refused: [] };

/** Lines as read, then those that waited for a badge, then corrections. */
type Pass = 'first' | 'waited' | 'corrections';

/** Amount staged since the last commit started. */
interface BatchCounts {
  lines: number;
  /** Characters. */
  text: number;
  badges: number;
  names: number;
}

function emptyBatch(): BatchCounts {
  return { lines: 0, text: 0, badges: 0, names: 0 };
}

function count(batch: BatchCounts, record: ImportRecord, textLength: number): void {
  batch.lines += 1;
  batch.text += textLength;
  if (record.kind === 'badge') batch.badges += 1;
  if (record.kind === 'wallet') batch.names += 1;
}

/** A `LedgerBatch` that is being filled. */
interface Part {
  readonly badges: BadgeDefinition[];
  readonly names: { readonly wallet: Wallet; readonly displayName: string }[];
  readonly activities: LedgerActivity[];
  readonly events: ImportedEvent[];
  readonly corrections: LedgerCorrection[];
}

function emptyPart(): Part {
  return { badges: [], names: [], activities: [], events: [], corrections: [] };
}

function add(part: Part, record: ImportRecord): void {
  if (record.kind === 'activity') part.activities.push(record.activity);
  else if (record.kind === 'event') part.events.push(record.event);
  else if (record.kind === 'retraction') part.events.push(record.evidence);
  else if (record.kind === 'correction') part.corrections.push(record.correction);
  else if (record.kind === 'badge') part.badges.push(record.badge);
  else part.names.push({ wallet: record.wallet, displayName: record.displayName });
}

function isFull(batch: BatchCounts, lines: number): boolean {
  return batch.lines >= lines || batch.text >= BATCH_TEXT;
}
