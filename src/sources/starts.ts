import type { SourcePosition, Start } from '#scoring';
import type { ChainSource } from './source.ts';

/**
 * Where inputs begin. A day is searched for in some thirty requests, so each start is looked up once, however many
 * inputs share it, and what was found outlives a failure.
 */
export class Starts {
  readonly #chain: Pick<ChainSource, 'begin'>;
  readonly #found = new Map<string, SourcePosition>();

  constructor(chain: Pick<ChainSource, 'begin'>) {
    this.#chain = chain;
  }

  /** The position just before a start. @throws RetryableError */
  async of(since: Start, signal: AbortSignal): Promise<SourcePosition> {
    const key = since.kind === 'day' ? `day ${since.day}` : String(since.height);
    const found = this.#found.get(key) ?? (await this.#chain.begin(since, signal));
    this.#found.set(key, found);
    return found;
  }

  /** Forgets what was found, once it's stored. */
  clear(): void {
    this.#found.clear();
  }
}
