import type { Logger } from '#base/log';
import { startTelegram, type Telegram, type TelegramOptions } from '#platforms/telegram/bot';
import { FLOOD_LIMITS, type FloodLimits } from '#platforms/telegram/limits';
import type { TelegramStandIn } from '../../../bench/servers/telegram/stand-in.ts';
import { answererWith } from '../ask.ts';
import { NOW } from '../fixed-source.ts';
import { silentLog } from '../log.ts';

/**
 * Delays short enough for tests, but timeouts that a busy machine keeps; a test of a hanging part shortens
 * the timeout it's about.
 */
const TIMING = {
  backoff: { first: 5, most: 40 },
  pollSeconds: 1,
  callSeconds: 60,
  stopMs: 60_000,
  confirmMs: 60_000,
  steadyMs: 60,
  webhookCheckMs: 30,
  takeOverMs: 50,
  rightsMs: 60_000,
  namesMs: 60_000,
  joinMs: 5_000,
  identityMs: 600_000,
  albumMs: 100,
};

/** Limits that no test reaches. */
export const NO_LIMITS: FloodLimits = { ...FLOOD_LIMITS, all: 1e6, chat: 1e6, group: 1e6 };

/** The real adapter, connected to the stand-in. */
export function startBot(
  standIn: TelegramStandIn,
  changes: Partial<TelegramOptions> = {},
): Telegram {
  return startTelegram({
    token: standIn.token,
    apiUrl: standIn.apiUrl,
    mode: 'polling',
    answerer: answererWith(),
    log: silentLog,
    clock: () => NOW * 1000,
    ...changes,
    timing: { ...TIMING, ...changes.timing },
  });
}

/** A log that keeps its lines, including fields. */
export function keptLog(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (level: string) => (fields: object, message: string) => {
    lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  };
  return {
    lines,
    debug: () => undefined,
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  };
}
