import { setTimeout as sleep } from 'node:timers/promises';
import type { GateEvents } from '#core/gating/events';
import type { GateKeeper } from '#core/gating/keeper';
import type { Logger } from '#core/logger';
import type { FaultKind } from './gateway/faults.ts';
import { SignIns } from './gateway/sign-ins.ts';
import { Supervisor } from './gateway/supervisor.ts';
import { TIMINGS, type Timings } from './gateway/timings.ts';
import { createKeeper } from './gating/keeper.ts';
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
  /** Told of who joins and leaves, where `membersIntent` says that Discord tells. */
  readonly gate?: GateEvents;
  /** Whether the operator has switched the Server Members Intent on. */
  readonly membersIntent?: boolean;
  readonly timings?: Partial<Timings>;
}

export interface DiscordAdapter {
  /** Everything in it throws RetryableError while Discord has not taken the token. */
  readonly keeper: GateKeeper;
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
  const { apiUrl, answerer, gate, hooks = {}, clock = Date.now, membersIntent = false } = options;
  const token = options.token.trim();
  const timings: Timings = { ...TIMINGS, ...options.timings };
  const log = hidingLog(options.log, token);
  const answers = new Answers(apiUrl, log);
  const { commands } = answerer;
  const keeper = createKeeper({ token, apiUrl, timings, log, clock, commands, membersIntent });
  const { permissionsOf } = keeper;
  const interactions = new Interactions({ asked: answerer, answers, permissionsOf, log }, hooks);
  const registrar = new Registrar(commands, timings, log);
  const supervisor = new Supervisor({
    connection: {
      token,
      apiUrl,
      signIns: new SignIns(timings, clock),
      timings,
      log,
      membersIntent,
      gate,
      onInteraction: (interaction) => interactions.receive(interaction),
    },
    timings,
    log,
    clock,
    onUp: (connection) => {
      hooks.onGateway?.('up');
      keeper.use(connection);
      registrar.start(connection);
    },
    onDown: () => hooks.onGateway?.('down'),
    onFault: ({ kind }) => hooks.onGateway?.(kind),
  });

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    await Promise.race([interactions.close(), sleep(timings.drain, undefined, { ref: false })]);
    answers.close();
    keeper.close();
    await Promise.all([supervisor.stop(), registrar.stop()]);
  }

  return {
    keeper,
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
