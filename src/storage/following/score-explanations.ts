import { createHash, hash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { DAY_SECONDS, formatTime, RetryableError } from '#base';
import {
  type Activity,
  type Breakdown,
  type ChainEvent,
  closingScores,
  type DayRange,
  type Provenance,
  type ProvenanceSource,
  type ScoreDay,
} from '#reputation';
import type { ScoreSnapshot, Standings } from '#reputation/standings';
import { IMPORT, type RuleSet, readEnds, ScoreDigest } from '#scoring';
import type { RuleTitles, ShownTitle } from '#storage/scoring/rule-titles';
import { type SettledScores, settledOf } from '#storage/scoring/score-versions';
import type { Row } from '#storage/sql/script';
import type { Wallet } from '#wallet';
import {
  activityKeys,
  chainEventsOf,
  type ExplanationRows,
  eventPlaces,
} from './explanation-rows.ts';
import type { Follower } from './follow.ts';
import { type ListEnd, listEndOf } from './lists.ts';

/** How often an answer starts over after catching up, before it gives up. */
const ATTEMPTS = 5;

/** Called whenever the answer starts over, with what is shown then. */
type RevisionStamp = () => unknown;

/**
 * Where the shown scores come from. The database may be ahead of what is shown; if it can no longer
 * tell what belongs to the shown score, we catch up with it first.
 */
export class ScoreExplanations {
  readonly #follower: Follower;
  readonly #rows: ExplanationRows;
  readonly #titles: RuleTitles;
  readonly #digests = new ScoreDigests();

  constructor(follower: Follower, rows: ExplanationRows, titles: RuleTitles) {
    this.#follower = follower;
    this.#rows = rows;
    this.#titles = titles;
  }

  /** @param numberOf returns the wallet's number, 0 for one without activity */
  breakdown(
    { address }: Wallet,
    language: string,
    numberOf: () => number,
    note: RevisionStamp,
  ): Promise<[breakdown: Breakdown, more: string] | undefined> {
    return this.#settled(note, async (end) => {
      const number = numberOf();
      if (number === 0) return { found: undefined };
      const { standings } = this.#follower.shown;
      const score = standings.score(number);
      const points = standings.points(number);
      const count = standings.activities(number);
      const { edition } = end;
      if (edition === 0) {
        const imported = { points, count };
        return { found: [{ address, score, rules: [], imported, asOf: null }, ''] };
      }
      const rows = await this.#rows.rules(number, end);
      const [first] = rows;
      if (first === undefined || !isOf(first, end)) return undefined;
      const titles = await this.#titles.titles(edition, language);
      const given = { points: Number(first.all_points ?? 0), count: Number(first.activities ?? 0) };
      const asOf = midnightOf(first.as_of);
      const breakdown: Breakdown = {
        address,
        score,
        rules: inOrder(
          rows.filter(({ rule }) => rule !== null),
          titles,
        ),
        imported: { points: points - given.points, count: count - given.count },
        asOf,
      };
      return { found: [breakdown, [asOf, ...stampOf(breakdown.rules)].join('.')] };
    });
  }

  /** @param numberOf see above */
  history(
    range: DayRange,
    numberOf: () => number,
    note: RevisionStamp,
  ): Promise<ScoreDay[] | undefined> {
    return this.#settled(note, async (end) => {
      const number = numberOf();
      if (number === 0) return { found: undefined };
      const rows = await this.#rows.days(number, end);
      if (rows.some(({ change }) => Number(change) > end.change)) return undefined;
      if (end.edition !== 0) {
        // Rows of a past score version may be gone.
        const [edition] = await this.#rows.sources(end);
        if (edition?.state !== 'live') return undefined;
      }
      const points = rows.map((row) => [Number(row.day), Number(row.points)] as const);
      return { found: closingScores(points, range) };
    });
  }

  /**
   * The chain events that activities were given for, by activity id. Ids are hashes of the content, so it
   * doesn't matter how far the database is ahead of what is shown.
   * @param number the wallet's
   */
  async chainEvents(
    number: number,
    activities: readonly Activity[],
  ): Promise<ReadonlyMap<string, ChainEvent>> {
    const end = listEndOf(this.#follower.shown.position);
    const keys = activityKeys(activities);
    if (end.edition === 0 || keys.length === 0) return new Map();
    const places = eventPlaces(await this.#rows.origins(number, keys, end));
    if (places.length === 0) return new Map();
    return chainEventsOf(places, await this.#rows.evidence(number, places, end));
  }

  /**
   * While scores are being changed, that of the last state in which all of them stood on the same evidence and day.
   */
  provenance(note: RevisionStamp): Promise<[Provenance, more: string]> {
    return this.#settled(note, async (asked) => {
      const [row] = asked.edition === 0 ? [] : await this.#rows.sources(asked);
      const isRight = row === undefined ? asked.edition === 0 : row.state === 'live';
      if (!isRight) return undefined;
      const settled = row && settledOf(row);
      const rules = row && (await this.#titles.rules(asked.edition));
      await this.#digests.turn(() => this.#scoresAt(settled));
      // Nothing waits from here until the scores are copied.
      const end = listEndOf(this.#follower.shown.position);
      const after = settled?.change ?? 0;
      if (end.edition !== asked.edition || after > end.change) return undefined;
      note();
      const later = settled === undefined ? NOTHING : this.#changesAfter(after, end);
      const digest = await this.#digests.of(this.#scoresAt(settled), later).catch(unlessReplaced);
      if (digest === undefined) return undefined;
      if (row === undefined || settled === undefined) {
        return { found: [{ rules: null, sources: [], asOf: null, digest }, ''] };
      }
      const sources = [importOf(row), ...chainsOf(settled, rules)];
      const asOf = midnightOf(settled.asOf);
      const provenance: Provenance = {
        rules: {
          name: String(row.name),
          version: Number(row.version),
          hash: String(row.hash),
          appliedAt: formatTime(Number(row.applied_at)),
        },
        sources,
        asOf,
        digest,
      };
      const heights = sources.map(({ id, height }) => `${id}-${height}`);
      return { found: [provenance, [asOf, ...heights, after].join('.')] };
    });
  }

  #scoresAt(settled: SettledScores | undefined): DigestedScores {
    const { standings, position } = this.#follower.shown;
    // Activities of imports are part of every state as soon as they're shown.
    return { standings, key: `${position.edition}.${settled?.change ?? 0}.${position.seq}` };
  }

  /** @throws Replaced if other rules went live, as changes of former ones are removed after a while */
  async *#changesAfter(change: number, end: ListEnd): AsyncGenerator<readonly Row[]> {
    for (let after = change; after < end.change; ) {
      const rows = await this.#rows.changes(after, end);
      if (rows.length === 0) break;
      yield rows;
      after = Number(rows.at(-1)?.number);
    }
    const [edition] = await this.#rows.sources(end);
    if (edition?.state !== 'live') throw new Replaced();
  }

  /** @param read returns undefined if we must catch up with the database first */
  async #settled<T>(
    note: RevisionStamp,
    read: (end: ListEnd) => Promise<{ readonly found: T } | undefined>,
  ): Promise<T> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      note();
      const answer = await read(listEndOf(this.#follower.shown.position));
      if (answer !== undefined) return answer.found;
      await this.#follower.catchUp();
    }
    throw new RetryableError('Scores change faster than they can be explained.', { retryAfter: 1 });
  }
}

/** Says that a score version is no longer live. */
class Replaced extends Error {}

/** @throws any other error */
function unlessReplaced(error: unknown): undefined {
  if (!(error instanceof Replaced)) throw error;
}

async function* nothing(): AsyncGenerator<readonly Row[]> {}
const NOTHING = nothing();

/** Whether a row is part of what is shown, rather than newer. */
function isOf(row: Row, end: ListEnd): boolean {
  return row.state === 'live' && Number(row.change ?? 0) <= end.change;
}

function importOf({ height, at }: Row): ProvenanceSource {
  const isEmpty = height === null;
  return {
    id: IMPORT,
    chain: null,
    height: isEmpty ? 0 : Number(height),
    hash: null,
    at: isEmpty ? null : formatTime(Number(at)),
  };
}

/** @param rules undefined if they can't be read, so that their chains are unknown */
function chainsOf({ ends }: SettledScores, rules: RuleSet | undefined): ProvenanceSource[] {
  return readEnds(ends).map(([id, { height, hash, time }]) => {
    const source = rules?.sources.find((each) => each.id === id);
    const isSingle = source?.variables.length === 1;
    return {
      id,
      chain: source?.chain ?? null,
      height,
      hash,
      at: formatTime(time),
      ...(isSingle && { nodes: 1 as const }),
    };
  });
}

function midnightOf(day: unknown): string {
  return formatTime(Number(day) * DAY_SECONDS);
}

/** Tells what rules are called apart, as it changes without anything else. */
function stampOf(rules: Breakdown['rules']): string[] {
  const named = rules.map(({ title, called, words }) => [title, called, words]);
  if (named.length === 0) return [];
  return [hash('sha256', JSON.stringify(named), 'base64url').slice(0, 10)];
}

/** In the order of the rules file; rules that it lacks by id. */
function inOrder(
  rows: readonly Row[],
  titles: ReadonlyMap<string, ShownTitle>,
): Breakdown['rules'] {
  const places = new Map([...titles.keys()].map((id, place) => [id, place]));
  const placeOf = ({ id }: { id: string }) => places.get(id) ?? places.size;
  return rows
    .map((row) => {
      const id = String(row.rule);
      return {
        id,
        version: Number(row.version),
        ...(titles.get(id) ?? { title: id }),
        points: Number(row.points),
        count: Number(row.events),
        capped: Number(row.capped),
        decayed: Number(row.decayed),
        discounted: Number(row.discounted),
        newest: formatTime(Number(row.newest)),
      };
    })
    .sort((one, other) => placeOf(one) - placeOf(other) || (one.id < other.id ? -1 : 1));
}

/** The longest that a step may delay requests that arrive meanwhile. */
const STEP_MS = 1;

/** What scores a digest is of. */
interface DigestedScores {
  readonly standings: Standings;
  /** Differs for other scores of the same standings. */
  readonly key: string;
}

/** The digest of all scores. Computes one at a time and caches the newest. */
class ScoreDigests {
  #kept: (DigestedScores & { readonly digest: Promise<string> }) | undefined;
  #isRunning = false;

  /** Waits while the digest of others is computed. */
  async turn(wanted: () => DigestedScores): Promise<void> {
    while (this.#isRunning && !this.#has(wanted())) {
      await this.#kept?.digest.catch(() => undefined);
    }
  }

  /**
   * @param scores that are current, apart from what is to be taken back
   * @param takenBack later changes, in parts: rows of `wallet`, `points` and `activities`
   */
  of(scores: DigestedScores, takenBack: AsyncIterable<readonly Row[]>): Promise<string> {
    if (this.#kept !== undefined && this.#has(scores)) return this.#kept.digest;
    this.#isRunning = true;
    const digest = digestOf(scores.standings.snapshot(), takenBack).finally(() => {
      this.#isRunning = false;
    });
    this.#kept = { ...scores, digest };
    digest.catch(() => {
      if (this.#kept?.digest === digest) this.#kept = undefined;
    });
    return digest;
  }

  #has({ standings, key }: DigestedScores): boolean {
    return this.#kept?.standings === standings && this.#kept.key === key;
  }
}

async function digestOf(
  snapshot: ScoreSnapshot,
  takenBack: AsyncIterable<readonly Row[]>,
): Promise<string> {
  for await (const rows of takenBack) {
    for (const { wallet, points, activities } of rows) {
      snapshot.takeBack(Number(wallet), Number(points), Number(activities));
    }
    await yieldToEventLoop();
  }
  const digest = new ScoreDigest(createHash('sha256'));
  let end = performance.now() + STEP_MS;
  for (const part of snapshot.inOrder()) {
    for (const [address, score] of part) digest.add(address, score);
    if (performance.now() < end) continue;
    await yieldToEventLoop();
    end = performance.now() + STEP_MS;
  }
  return digest.hex();
}
