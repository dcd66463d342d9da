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
  const { writer, signal } = options;
  const lines = new LineImport(options);
  try {
    await lines.importAll();
  } catch (error) {
    // Being stopped between two retries isn't a fault.
    if (!signal?.aborted || error !== signal.reason) throw error;
  }
  await finish(writer);
  return { ...lines.counts, stopped: signal?.aborted ?? false };
}

/** An import under way: lines are parsed and staged, and a full batch is committed meanwhile. */
class LineImport {
  readonly counts = noCounts();
  readonly #options: ImportOptions;
  readonly #parse: (text: string) => ImportRecord | LineRefusal;
  readonly #retry: RetryOptions;
  readonly #batchLines: number;
  /** Ids of the badges that are defined so far. */
  readonly #badges = new Set<string>();
  /** Where activities and corrections came from, so that a refused one can be named. */
  readonly #staged = new StagedLines();
  readonly #stagedEvents = new StagedLines();
  #batch = emptyBatch();
  #committing: Promise<void> = Promise.resolve();
  /** Whether the ledger accepts nothing at the moment. */
  #isHeldUp = false;

  constructor(options: ImportOptions) {
    this.#options = options;
    this.#parse = createLineParser({ ...options, knowsBadge: (id) => this.#badges.has(id) });
    this.#batchLines = options.batchLines ?? BATCH_LINES;
    this.#retry = {
      advice: ADVICE,
      ...options.retry,
      onWait: (error, waitMs) => {
        this.#isHeldUp = true;
        options.retry.onWait?.(error, waitMs);
      },
    };
  }

  async importAll(): Promise<void> {
    const { input, writer, spool, corrections, signal } = this.#options;
    await this.#readKnownBadges();
    await this.#takeAll(input, 'first');
    await this.#takeAll(spool.drain(), 'waited');
    // Everything that may be corrected is committed by then.
    await this.#committing;
    await this.#takeAll(corrections.drain(), 'corrections');
    await this.#committing;
    if (!signal?.aborted) await withRetry(() => writer.confirm(), this.#retry, signal);
  }

  /** The first query waits for a ledger that can't be opened yet; nothing is held up by that. */
  async #readKnownBadges(): Promise<void> {
    const { writer, retry, signal } = this.#options;
    const patient = { advice: ADVICE, ...retry };
    const known = await withRetry(() => writer.knownBadges(), patient, signal);
    for (const id of known) this.#badges.add(id);
  }

  async #takeAll(groups: AsyncIterable<readonly InputLine[]>, pass: Pass): Promise<void> {
    const { signal } = this.#options;
    for await (const lines of groups) {
      if (signal?.aborted) return;
      await this.#take(lines, pass);
    }
    if (!signal?.aborted) await this.#flush();
  }

  async #take(lines: readonly InputLine[], pass: Pass): Promise<void> {
    const { spool, corrections } = this.#options;
    const unknown =
      pass === 'corrections' ? await this.#retractingNothing(lines) : new Set<number>();
    let part = emptyPart();
    for (const [index, line] of lines.entries()) {
      if (pass === 'first') this.counts.lines += 1;
      const record = line.refusal ?? this.#parse(line.text);
      if (record.kind === 'refused') {
        if (record.code === 'unknown-badge' && pass === 'first') spool.push(line);
        else this.#refuse(line, record);
        continue;
      }
      const isLast = record.kind === 'correction' || record.kind === 'retraction';
      if (isLast && pass !== 'corrections') {
        corrections.push(line);
        continue;
      }
      if (unknown.has(index)) {
        this.#refuse(line, retractsNothing());
        continue;
      }
      this.#note(line, record);
      add(part, record);
      if (isFull(this.#batch, this.#batchLines)) {
        await this.#stage(part);
        part = emptyPart();
        await this.#flush();
      }
    }
    await this.#stage(part);
    this.#options.onProgress?.(this.counts);
  }

  /** Notes a line that is about to be staged. */
  #note(line: InputLine, record: ImportRecord): void {
    const { kind } = record;
    if (kind === 'badge') this.#badges.add(record.badge.id);
    if (kind === 'activity' || kind === 'correction') this.#staged.push(line);
    if (kind === 'event' || kind === 'retraction') this.#stagedEvents.push(line);
    count(this.#batch, record, line.text.length);
  }

  /** Indexes of lines that retract what the ledger doesn't have. */
  async #retractingNothing(lines: readonly InputLine[]): Promise<ReadonlySet<number>> {
    const { writer, signal } = this.#options;
    const asked = lines.flatMap((line, index) => {
      const record = line.refusal ?? this.#parse(line.text);
      return record.kind === 'retraction' ? [{ index, about: record.about }] : [];
    });
    if (asked.length === 0) return new Set();
    const events = asked.map(({ about }) => about);
    // Each known event differs from what is asked for.
    const known = await withRetry(() => writer.compareEvents(events), this.#retry, signal);
    const there = new Set(known.map(({ place }) => place));
    return new Set(asked.flatMap(({ index }, place) => (there.has(place) ? [] : [index])));
  }

  /** While the ledger accepts nothing we stage no more: staged input is in memory. */
  async #stage(part: Part): Promise<void> {
    const { writer } = this.#options;
    if (this.#isHeldUp) await this.#committing;
    await writer.stage(part);
    if (part.corrections.length > 0) await writer.stageCorrections(part.corrections);
  }

  /** Starts committing the batch. A writer with its own thread works while we read on. */
  async #flush(): Promise<void> {
    await this.#committing;
    if (this.#batch.lines === 0) return;
    this.#committing = this.#commit(this.#batch);
    // Awaited later; until then its rejection must not be unhandled.
    this.#committing.catch(() => undefined);
    this.#batch = emptyBatch();
  }

  async #commit({ badges, names }: BatchCounts): Promise<void> {
    const { writer, signal } = this.#options;
    const {
      added,
      known,
      refused = [],
      events = NO_EVENTS,
    } = await withRetry(() => writer.commit(), this.#retry, signal);
    this.#isHeldUp = false;
    this.#refuseStaged(this.#staged, added + known + refused.length, refused);
    const eventCount = events.added + events.known + events.refused.length;
    this.#refuseStaged(this.#stagedEvents, eventCount, events.refused);
    this.counts.added += added;
    this.counts.known += known;
    this.counts.eventsAdded += events.added;
    this.counts.eventsKnown += events.known;
    this.counts.badges += badges;
    this.counts.names += names;
    this.#options.onProgress?.(this.counts);
  }

  /** @param count number of staged lines a commit handled */
  #refuseStaged(lines: StagedLines, count: number, refused: readonly LedgerRefusal[]): void {
    const lineAt = lines.take(count);
    for (const { place, code, reason } of refused) {
      this.#refuse({ ...lineAt(place), text: '' }, refusal(code, reason));
    }
  }

  #refuse(line: InputLine, refusal: LineRefusal): void {
    this.counts.refused += 1;
    this.#options.onRefused(line, refusal);
  }
}

function noCounts(): ImportCounts {
  return {
    lines: 0,
    added: 0,
    known: 0,
    eventsAdded: 0,
    eventsKnown: 0,
    badges: 0,
    names: 0,
    refused: 0,
  };
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
