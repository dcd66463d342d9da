import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '#core/logger';
import type { FaultKind } from './gateway/faults.ts';
import { SignIns } from './gateway/sign-ins.ts';
import { Supervisor } from './gateway/supervisor.ts';
import { TIMINGS, type Timings } from './gateway/timings.ts';
import { hidingLog } from './hide.ts';
import { Answers } from './interactions/answers.ts';
import { type InteractionHooks, Interactions } from './interactions/interactions.ts';
import type { Asked } from './interactions/show.ts';
import { Registrar } from './registrar.ts';

/** What happens, for counters. None may throw. */
interface DiscordHooks extends InteractionHooks {
  /** `up` and `down` as the gateway comes and goes, or the kind of fault that ended a connection. */
  readonly onGateway?: (event: 'up' | 'down' | FaultKind) => void;
}

export interface DiscordOptions {
  readonly token: string;
  /** Where the REST API is, without its version; Discord's own when left out. */
  readonly apiUrl?: string | undefined;
  readonly answerer: Asked;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  readonly hooks?: DiscordHooks;
  readonly timings?: Partial<Timings>;
}

export interface DiscordAdapter {
  /** Whether it answers, and what is wrong if it doesn't. */
  status(): { readonly ok: boolean; readonly detail: string };
  /** Takes nothing new, answers what is under way within a few seconds, and signs off for good. */
  stop(): Promise<void>;
}

/**
 * Answers commands in Discord until it is stopped. It returns at once and never throws: whatever is
 * wrong shows in `status()` and once in the log, and is tried again.
 */
export function startDiscord(options: DiscordOptions): DiscordAdapter {
  const { token, apiUrl, answerer, hooks = {}, clock = Date.now } = options;
  const timings: Timings = { ...TIMINGS, ...options.timings };
  const log = hidingLog(options.log, token.trim());
  const answers = new Answers(apiUrl, log);
  const interactions = new Interactions({ asked: answerer, answers, log }, hooks);
  const registrar = new Registrar(answerer.commands, timings, log);
  const supervisor = new Supervisor({
    connection: {
      token: token.trim(),
      apiUrl,
      signIns: new SignIns(timings, clock),
      timings,
      log,
      onInteraction: (interaction) => interactions.receive(interaction),
    },
    timings,
    log,
    clock,
    onUp: (connection) => {
      hooks.onGateway?.('up');
      registrar.start(connection);
    },
    onDown: () => hooks.onGateway?.('down'),
    onFault: ({ kind }) => hooks.onGateway?.(kind),
  });

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    await Promise.race([interactions.close(), sleep(timings.drain, undefined, { ref: false })]);
    answers.close();
    await Promise.all([supervisor.stop(), registrar.stop()]);
  }

  return {
    status() {
      const status = supervisor.status();
      if (!status.ok || registrar.fault === undefined) return status;
      return { ok: false, detail: `The commands are not registered. ${registrar.fault.detail}` };
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}
