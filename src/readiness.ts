import type { Logger } from '#core/logger';
import type { Store } from '#core/ports';
import type { Upstream } from '#upstream/index';
import type { Chats } from './chats.ts';

/** Data that is older than this while newer is in the store makes the process not ready. */
const MAX_LAG_SECONDS = 30;

/**
 * A chat that is down is shown, but /v1 and the other chat answer all the same; so does what is known
 * of an upstream that is down, which all replicas would have lost at once.
 */
export function readiness(
  store: Store,
  upstream: Upstream | undefined,
  chats: Chats | undefined,
  log: Logger,
): {
  ready: boolean;
  checks: Record<string, { ok: boolean; detail: string }>;
} {
  let data: { ok: boolean; detail: string };
  try {
    store.check();
    const lag = store.figures().lagSeconds;
    const ok = lag <= MAX_LAG_SECONDS;
    data = { ok, detail: lag === 0 ? 'up to date' : `${lag} s behind the store` };
  } catch (error) {
    // Anybody may ask this, so what is wrong where is told in the log alone.
    log.error({ err: error }, 'the data cannot be read');
    data = { ok: false, detail: 'the data cannot be read; the log says why' };
  }
  const above = upstream && { upstream: upstream.status() };
  return { ready: data.ok, checks: { data, ...above, ...chats?.statuses() } };
}
