import type { Logger } from '#core/logger';
import type { MaybePromise } from '#core/maybe-promise';
import type { Exchange } from './exchange.ts';
import { send } from './respond.ts';

/** Whether the process can serve requests, and the checks behind it. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Record<string, { readonly ok: boolean; readonly detail: string }>;
}

/** `/livez`: the process responds, so it needs no restart. */
export function sendLiveness(exchange: Exchange): void {
  sendJson(exchange, 200, { status: 'ok' });
}

/** `/readyz`: whether to send requests here now. @param look must finish within a second or two */
export function sendReadiness(
  exchange: Exchange,
  look: () => MaybePromise<Readiness>,
  log: Logger,
): void {
  void lookSafely(look, log).then((readiness) => sendFound(exchange, readiness));
}

function sendFound(exchange: Exchange, { ready, checks }: Readiness): void {
  const { draining } = exchange.server;
  const all = draining ? { ...checks, shutdown: { ok: false, detail: 'shutting down' } } : checks;
  sendJson(exchange, ready && !draining ? 200 : 503, {
    status: ready && !draining ? 'ready' : 'not ready',
    checks: all,
  });
}

async function lookSafely(look: () => MaybePromise<Readiness>, log: Logger): Promise<Readiness> {
  try {
    return await look();
  } catch (error) {
    log.error({ err: error }, 'the readiness check failed');
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
