import type { Reply } from './interaction.ts';

interface Limit {
  readonly most: number;
  readonly seconds: number;
  used: number;
  endsAt: number;
}

/**
 * Discord's rate limits by kind of request. https://discord.com/developers/docs/topics/rate-limits
 */
export class Limits {
  readonly #limits = new Map<string, Limit>();
  /** Requests sent beyond a limit that had been announced. */
  exceeded = 0;

  /** From now on, limits a kind of request to this many per this many seconds. */
  set(kind: string, most: number, seconds: number): void {
    this.#limits.set(kind, { most, seconds, used: 0, endsAt: 0 });
  }

  /** The headers of a response; or the response itself, if there were too many requests. */
  take(kind: string): { readonly headers: Record<string, string>; readonly refusal?: Reply } {
    const limit = this.#limits.get(kind);
    if (limit === undefined) return { headers: {} };
    const now = Date.now();
    if (now >= limit.endsAt) {
      limit.endsAt = now + limit.seconds * 1000;
      limit.used = 0;
    }
    limit.used += 1;
    const left = ((limit.endsAt - now) / 1000).toFixed(3);
    const headers = {
      'x-ratelimit-limit': String(limit.most),
      'x-ratelimit-remaining': String(Math.max(0, limit.most - limit.used)),
      'x-ratelimit-reset-after': left,
      'x-ratelimit-bucket': `bucket-of-${kind}`,
    };
    if (limit.used <= limit.most) return { headers };
    this.exceeded += 1;
    const { body, headers: more } = tooMany(Number(left));
    return { headers, refusal: { status: 429, body, headers: { ...headers, ...more } } };
  }
}

/** The response to one request too many. @param seconds until the next one is accepted */
export function tooMany(seconds: number, scope: 'user' | 'shared' | 'global' = 'user') {
  const global = scope === 'global';
  return {
    status: 429,
    body: { message: 'You are being rate limited.', retry_after: seconds, global },
    headers: {
      'retry-after': String(seconds),
      'x-ratelimit-scope': scope,
      ...(global && { 'x-ratelimit-global': 'true' }),
    },
  } satisfies Reply;
}
