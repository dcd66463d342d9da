import { type Logger, type MaybePromise, ProblemLog } from '#base';
import { within } from '#base/waiting';
import { send } from '#http/api/answer/respond';
import type { Exchange } from './exchange.ts';

/** Whether the process can serve requests, and the checks behind it. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Record<string, { readonly ok: boolean; readonly detail: string }>;
}

/** `/livez`: the process responds, so it needs no restart. */
export function sendLiveness(exchange: Exchange): void {
  sendJson(exchange, 200, { status: 'ok' });
}

/** How long a reading is good: probes and strangers ask more often than the state changes. */
const SHARED_MS = 1_000;
/** How long a request waits for a reading: many probes wait for a second, and would take a slow answer for a no. */
const PATIENCE_MS = 500;

/**
 * `/readyz`: whether to send requests here now. All requests within a second get one reading's answer, so that
 * a crowd of them neither burdens the database nor fills the log. While a database is silent, the answer is that of
 * the reading before, which says how old it is: nobody may have asked for hours.
 * @param check must finish within a second or two
 */
export function readinessPage(
  check: () => MaybePromise<Readiness>,
  log: Logger,
): (exchange: Exchange) => void {
  const trouble = new ProblemLog(log);
  let reading: Promise<Readiness> | undefined;
  let until = 0;
  let last: { readonly found: Readiness; readonly at: number } | undefined;

  function read(): Promise<Readiness> {
    const now = performance.now();
    if (reading !== undefined && now < until) return reading;
    until = Number.POSITIVE_INFINITY;
    reading = checkSafely(check, trouble).then((found) => {
      const at = performance.now();
      until = at + SHARED_MS;
      last = { found, at };
      return found;
    });
    return reading;
  }

  async function answer(exchange: Exchange): Promise<void> {
    const before = last;
    const found = before === undefined ? read() : within(read(), PATIENCE_MS, () => aged(before));
    sendFound(exchange, await found);
  }
  return (exchange) => void answer(exchange);
}

function aged({ found, at }: { readonly found: Readiness; readonly at: number }): Readiness {
  const seconds = Math.floor((performance.now() - at) / 1000);
  const readiness = {
    ok: false,
    detail: `as of ${seconds} s ago; a newer check has no answer yet`,
  };
  return { ready: found.ready, checks: { ...found.checks, readiness } };
}

function sendFound(exchange: Exchange, { ready, checks }: Readiness): void {
  const { draining } = exchange.server;
  const all = draining ? { ...checks, shutdown: { ok: false, detail: 'shutting down' } } : checks;
  sendJson(exchange, ready && !draining ? 200 : 503, {
    status: ready && !draining ? 'ready' : 'not ready',
    checks: all,
  });
}

async function checkSafely(
  check: () => MaybePromise<Readiness>,
  trouble: ProblemLog,
): Promise<Readiness> {
  try {
    const found = await check();
    trouble.resolve();
    return found;
  } catch (error) {
    trouble.report('failed', 'error', { err: error }, 'the readiness check failed');
    return {
      ready: false,
      checks: { readiness: { ok: false, detail: 'the check itself failed' } },
    };
  }
}

function sendJson(exchange: Exchange, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  const headers = ['Content-Type', 'application/json'];
  headers.push('Content-Length', String(Buffer.byteLength(text)), 'Cache-Control', 'no-store');
  send(exchange, status, [...headers, 'X-Request-Id', exchange.id], text);
}
