import { monotonicMs, wallMs } from '#core/clock';
import type { GateEvents } from '#core/gating/events';
import type { GateKeeper } from '#core/gating/keeper';
import type { Logger } from '#core/logger';
import type { InboxStore } from '#core/work/inbox';
import { MemoryWork } from '#core/work/memory-work';
import type { ReplicaRef } from '#runtime/claims';
import { within } from '#runtime/within';
import { BotRest } from './bot-rest.ts';
import type { FaultKind } from './gateway/faults.ts';
import { ShardSets } from './gateway/shard-sets.ts';
import { Supervisor } from './gateway/supervisor.ts';
import { TIMINGS, type Timings } from './gateway/timings.ts';
import { createKeeper } from './gating/keeper.ts';
import { hidingLog } from './hide.ts';
import type { InteractionReply, InteractionsEndpoint } from './http/endpoint.ts';
import { HttpMode } from './http/mode.ts';
import { Answers } from './interactions/answers.ts';
import { type InteractionHooks, Interactions } from './interactions/interactions.ts';
import type { InteractionAnswerer } from './interactions/show.ts';
import { Registrar } from './registrar.ts';
import { RestSignIn } from './rest-sign-in.ts';

/** What happens, for counters. None may throw. */
interface DiscordHooks extends InteractionHooks {
  /** `up` and `down` as the gateway comes and goes, or the kind of fault that ended a connection. */
  readonly onGateway?: (event: 'up' | 'down' | FaultKind) => void;
}

export interface DiscordOptions {
  readonly token: string;
  /** Where the REST API is, without its version; Discord's own when left out. */
  readonly apiUrl?: string | undefined;
  /** Shared with whatever else of this process uses the token; its own when left out. */
  readonly rest?: BotRest;
  /**
   * Discord delivers interactions to `handleInteraction`, signed for this key of 64 hex digits.
   * Without it they come from the gateway.
   */
  readonly http?: { readonly publicKey: string } | undefined;
  /** What this process shares with others that run the same bot; without it there are none. */
  readonly replica?: (ReplicaRef & { readonly inbox: InboxStore }) | undefined;
  readonly answerer: InteractionAnswerer;
  readonly log: Logger;
  /** For tests: milliseconds since 1970, in place of every clock. */
  readonly clock?: () => number;
  readonly hooks?: DiscordHooks;
  /** Told of who joins and leaves, where `membersIntent` says that Discord tells: only the gateway does. */
  readonly gate?: GateEvents;
  /** Whether the operator has switched the Server Members Intent on. */
  readonly membersIntent?: boolean;
  readonly timings?: Partial<Timings>;
}

export interface DiscordAdapter {
  /** Everything in it throws RetryableError while Discord has not taken the token. */
  readonly keeper: GateKeeper;
  /**
   * With `http`: answers one request of Discord's. Never throws.
   * @param body as it came, byte for byte
   * @param signature header `X-Signature-Ed25519`
   * @param timestamp header `X-Signature-Timestamp`
   */
  handleInteraction?(
    body: Buffer,
    signature: string | undefined,
    timestamp: string | undefined,
  ): Promise<InteractionReply>;
  /** Whether it answers, and what is wrong if it doesn't. */
  status(): { readonly ok: boolean; readonly detail: string };
  /** Where somebody adds the bot to a server or to their account; undefined until it has signed in. */
  invitation(): string | undefined;
  /** Takes nothing new, answers what is under way within a few seconds, and signs off for good. */
  stop(): Promise<void>;
}

/** With the ways to install it that the application allows; it asks for no permission. */
const INVITATION = 'https://discord.com/oauth2/authorize?client_id=';

/**
 * Answers commands in Discord until it is stopped. It returns at once: whatever is wrong at Discord
 * shows in `status()` and once in the log, and is tried again.
 * @throws UserError `wrong-configuration` for a public key that is none
 */
export function startDiscord(options: DiscordOptions): DiscordAdapter {
  const { apiUrl, answerer, gate, hooks = {}, clock = wallMs, membersIntent = false } = options;
  const token = options.token.trim();
  const timings: Timings = { ...TIMINGS, ...options.timings };
  const log = hidingLog(options.log, token);
  const rest = options.rest ?? new BotRest({ token, apiUrl, timings });
  const answers = new Answers(apiUrl, timings, log);
  const { commands } = answerer;
  const monotonic = options.clock ?? monotonicMs;
  const common = { timings, clock: monotonic };
  const keeper = createKeeper({ ...common, rest, log, commands, membersIntent });
  const { permissionsOf } = keeper;
  const registrar = new Registrar(commands, timings, log);
  const { replica = alone() } = options;
  const interactions = new Interactions({
    context: { asked: answerer, answers, permissionsOf, log },
    hooks,
    inbox: replica.inbox && { store: replica.inbox, replica: replica.id },
    clock,
  });
  const { isCutOff } = replica;
  const http =
    options.http && new HttpMode({ ...options.http, interactions, isCutOff, log, clock });
  const shards = http
    ? undefined
    : new ShardSets({
        ...common,
        log,
        connection: {
          rest,
          membersIntent,
          gate,
          onInteraction: (interaction) => interactions.receive(interaction),
        },
        replica,
        onUp: () => hooks.onGateway?.('up'),
        onDown: () => hooks.onGateway?.('down'),
        onFault: ({ kind }) => hooks.onGateway?.(kind),
      });
  let applicationId = '';
  // Roles are given and commands registered by every replica, whoever holds the shards.
  const signIn = new Supervisor({
    ...common,
    // The gateway meets with the same faults and tells of them.
    log: shards ? onlyForDebugging(log) : log,
    connect: (onUp) => new RestSignIn({ rest, onUp }),
    onUp: (connection) => {
      applicationId = connection.applicationId;
      http?.use(connection);
      keeper.use(connection);
      registrar.start(connection);
    },
    onDown: () => {},
    onFault: () => {},
  });

  function status(): ReturnType<DiscordAdapter['status']> {
    const signedIn = signIn.status();
    const delivered = shards?.status() ?? http?.status(signedIn) ?? signedIn;
    if (!delivered.ok) return delivered;
    if (!signedIn.ok) return signedIn;
    if (registrar.fault === undefined) return delivered;
    return { ok: false, detail: `The commands are not registered. ${registrar.fault.detail}` };
  }

  async function stop(): Promise<void> {
    await shards?.handOver();
    await within(interactions.close(), timings.drain);
    answers.close();
    keeper.close();
    await Promise.all([shards?.stop(), signIn.stop(), registrar.stop()]);
    rest.close();
  }

  let stopped: Promise<void> | undefined;
  return {
    keeper,
    ...(http && {
      handleInteraction: (...request: Parameters<InteractionsEndpoint['handle']>) =>
        http.endpoint.handle(...request),
    }),
    status,
    invitation: () => (applicationId === '' ? undefined : `${INVITATION}${applicationId}`),
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** The only process there is. */
function alone(): ReplicaRef & { readonly inbox: undefined } {
  const work = new MemoryWork();
  const id = 'alone';
  work.beat(id);
  return { work, id, inbox: undefined };
}

function onlyForDebugging(log: Logger): Logger {
  const debug: Logger['debug'] = (fields, message) => log.debug(fields, message);
  return { debug, info: debug, warn: debug, error: debug };
}
