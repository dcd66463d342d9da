import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ScoreSnapshot, Standings } from '#reputation/standings';
import { ScoreDigest } from '#scoring';
import type { Row } from '#storage/sql/script';

/** The longest that a step may delay requests that arrive meanwhile. */
const STEP_MS = 1;

/** What scores a digest is of. */
export interface DigestedScores {
  readonly standings: Standings;
  /** Differs for other scores of the same standings. */
  readonly key: string;
}

/** The digest of all scores. Computes one at a time and caches the newest. */
export class ScoreDigests {
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
