import type { SharedAnswers } from '#cluster/shared-answers';
import type { RedisConnection } from './connection.ts';
import { keyPart } from './key.ts';

/** Maximum bytes per value: more would delay the rate counts on the same connection. */
const TEXT_MAX = 512 * 1024;

/** A cache in Redis with expiring values. */
export class RedisAnswers implements SharedAnswers {
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  async get(key: string): Promise<string | undefined> {
    const text = await this.#connection
      .run((redis) => redis.get(nameOf(key)))
      .catch(() => undefined);
    return text ?? undefined;
  }

  async set(key: string, text: string, ttlMs: number): Promise<void> {
    if (Buffer.byteLength(text) > TEXT_MAX) return;
    const ttl = Math.max(1, Math.ceil(ttlMs));
    await this.#connection
      .run((redis) => redis.set(nameOf(key), text, 'PX', ttl))
      .catch(() => undefined);
  }
}

function nameOf(key: string): string {
  return `fathom:answer:${keyPart(key)}`;
}
