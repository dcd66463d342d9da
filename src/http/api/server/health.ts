import { type Logger, type MaybePromise, ProblemLog } from '#base';
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

/**
 * `/readyz`: whether to send requests here now. All requests within a second get one reading's answer, so that
 * a crowd of them neither burdens the database nor fills the log.
 * @param look must finish within a second or two
 */
export function readinessPage(
  look: () => MaybePromise<Readiness>,
  log: Logger,
): (exchange: Exchange) => void {
  const trouble = new ProblemLog(log);
  let reading: Promise<Readiness> | undefined;
  let until = 0;

  function read(): Promise<Readiness> {
    const now = performance.now();
    if (reading !== undefined && now < until) return reading;
    until = Number.POSITIVE_INFINITY;
    reading = lookSafely(look, trouble).finally(() => {
      until = performance.now() + SHARED_MS;
    });
    return reading;
  }
  return (exchange) => void read().then((readiness) => sendFound(exchange, readiness));
}

function sendFound(exchange: Exchange, { ready, checks }: Readiness): void {
  const { draining } = exchange.server;
  const all = draining ? { ...checks, shutdown: { ok: false, detail: 'shutting down' } } : checks;
  sendJson(exchange, ready && !draining ? 200 : 503, {
    status: ready && !draining ? 'ready' : 'not ready',
    checks: all,
  });
}

async function lookSafely(
  look: () => MaybePromise<Readiness>,
  trouble: ProblemLog,
): Promise<Readiness> {
  try {
    const found = await look();
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
