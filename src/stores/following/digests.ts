import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ScoreDigest } from '#core/scoring/digest';
import type { ScoreSnapshot } from '#core/standings/score-snapshot';
import type { Standings } from '#core/standings/standings';

/** The longest that a step may delay requests that arrive meanwhile. */
const STEP_MS = 1;

/** The digest of all scores. Computes one at a time and caches the newest revision's. */
export class ScoreDigests {
  #kept: { readonly revision: string; readonly digest: Promise<string> } | undefined;
  #isRunning = false;

  /** Waits while another revision's digest is computed. */
  async turn(revision: () => string): Promise<void> {
    while (this.#isRunning && this.#kept?.revision !== revision()) {
      await this.#kept?.digest.catch(() => undefined);
    }
  }

  /** @param standings as of the current revision */
  of(standings: Standings, revision: string): Promise<string> {
    if (this.#kept?.revision === revision) return this.#kept.digest;
    this.#isRunning = true;
    const digest = digestOf(standings.snapshot()).finally(() => {
      this.#isRunning = false;
    });
    this.#kept = { revision, digest };
    digest.catch(() => {
      if (this.#kept?.digest === digest) this.#kept = undefined;
    });
    return digest;
  }
}

async function digestOf(snapshot: ScoreSnapshot): Promise<string> {
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
