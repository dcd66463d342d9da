import { type Logger, monotonicMs, outageLog, wallMs } from '#base';
import { within } from '#base/waiting';
import { type InboxStore, MemoryWork, type ReplicaRef } from '#cluster';
import type { CommunityAdapter, GateEvents } from '#gating';
import type { HttpDelivery, PlatformHost, RunningPlatform } from '#platforms';
import { describeFault, type FaultKind } from './gateway/faults.ts';
import { ShardSets } from './gateway/shard-sets.ts';
import { Supervisor } from './gateway/supervisor.ts';
import { TIMINGS, type Timings } from './gateway/timings.ts';
import { createCommunityAdapter } from './gating/community-adapter.ts';
import { Answers } from './interactions/answers.ts';
import { HttpMode, type InteractionReply, type InteractionsEndpoint } from './interactions/http.ts';
import { type InteractionHooks, Interactions } from './interactions/interactions.ts';
import type { InteractionAnswerer } from './interactions/show.ts';
import { redactingLog } from './logging.ts';
import { Registrar } from './registrar.ts';
import { BotRest } from './rest/bot-rest.ts';
import { RestSignIn } from './rest/sign-in.ts';
import type { DiscordBotSettings } from './settings.ts';

export function startBot(
  settings: DiscordBotSettings & { readonly rest: BotRest },
  host: PlatformHost,
): RunningPlatform {
  const { answerer, gate, log, replica, work, inbox, leavesToOthers } = host;
  const { onCommand, onAcknowledged } = host;
  const bot = startDiscord({
    ...settings,
    answerer,
    gate,
    log,
    replica: { id: replica.id, work, inbox, leavesToOthers },
    hooks: { onCommand, onAcknowledged },
  });
  const handle = bot.handleInteraction;
  return {
    communityAdapter: bot.communityAdapter,
    status: () => bot.status(),
    invitation: () => bot.invitation(),
    deliver:
      handle &&
      (({ body, headers }: HttpDelivery) =>
        handle(
          Buffer.isBuffer(body) ? body : Buffer.alloc(0),
          textOf(headers['x-signature-ed25519']),
          textOf(headers['x-signature-timestamp']),
        )),
    stop: () => bot.stop(),
  };
}

function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

/** Events for metrics. Callbacks must not throw. */
interface DiscordHooks extends InteractionHooks {
  /**
   * `up` and `down` as the gateway connects and disconnects, or the kind of fault that ended a
   * connection.
   */
  readonly onGateway?: (event: 'up' | 'down' | FaultKind) => void;
}

export interface DiscordOptions {
  readonly token: string;
  /** The REST API, without its version; Discord's own by default. */
  readonly apiUrl?: string | undefined;
  /**
   * Shared with everything else in this process that uses the token; creates its own by default.
   */
  readonly rest?: BotRest;
  /**
   * If set, Discord delivers interactions to `handleInteraction`, signed for this key (64 hex
   * digits). Otherwise they arrive over the gateway.
   */
  readonly http?: { readonly publicKey: string } | undefined;
  /** State shared with other processes running the same bot; undefined if there are none. */
  readonly replica?: (ReplicaRef & { readonly inbox: InboxStore }) | undefined;
  readonly answerer: InteractionAnswerer;
  readonly log: Logger;
  /** For tests: replaces every clock; milliseconds since 1970. */
  readonly clock?: () => number;
  readonly hooks?: DiscordHooks;
  /** Receives joins and leaves, if `membersIntent` is on; they only come over the gateway. */
  readonly gate?: GateEvents;
  /** Whether the operator enabled the Server Members Intent. */
  readonly membersIntent?: boolean;
  readonly timings?: Partial<Timings>;
}

export interface DiscordAdapter {
  /** All methods throw RetryableError until Discord has accepted the token. */
  readonly communityAdapter: CommunityAdapter;
  /**
   * With `http`: handles a request from Discord. Never throws.
   * @param body raw bytes
   * @param signature header `X-Signature-Ed25519`
   * @param timestamp header `X-Signature-Timestamp`
   */
  handleInteraction?(
    body: Buffer,
    signature: string | undefined,
    timestamp: string | undefined,
  ): Promise<InteractionReply>;
  /** Whether the bot is working, and what's wrong if not. */
  status(): { readonly ok: boolean; readonly detail: string };
  /** Install link for a server or a user account; undefined until signed in. */
  invitation(): string | undefined;
  /**
   * Accepts nothing new, finishes what's in flight within a few seconds, and signs off for good.
   */
  stop(): Promise<void>;
}

/** Milliseconds for the last try of answers that waited for Discord when the bot was stopped. */
const LAST_TRY_MS = 1_000;

/** Offers the install contexts that the application allows; requests no permissions. */
const INVITATION = 'https://discord.com/oauth2/authorize?client_id=';

/**
 * Runs the Discord bot until it's stopped. Returns immediately: problems show in `status()` and
 * once in the log, and are retried.
 * @throws UserError `wrong-configuration` if the public key is invalid
 */
export function startDiscord(options: DiscordOptions): DiscordAdapter {
  const { apiUrl, answerer, gate, hooks = {}, clock = wallMs, membersIntent = false } = options;
  const token = options.token.trim();
  const timings: Timings = { ...TIMINGS, ...options.timings };
  const log = redactingLog(options.log, token);
  const monotonic = options.clock ?? monotonicMs;
  // What Discord refuses one member, it refuses others.
  const calmLog = outageLog(log, monotonic);
  const rest = options.rest ?? new BotRest({ token, apiUrl, timings });
  const answers = new Answers(apiUrl, timings, log);
  const { commands } = answerer;
  const common = { timings, clock: monotonic };
  const communityAdapter = createCommunityAdapter({
    ...common,
    rest,
    log: calmLog,
    commands,
    membersIntent,
    hasEvents: (guild) => shards?.isHeard(guild) === true,
  });
  const { permissionsOf } = communityAdapter;
  const registrar = new Registrar(commands, timings, log);
  const { replica = alone() } = options;
  const interactions = new Interactions({
    context: { asked: answerer, answers, permissionsOf, log: calmLog },
    hooks,
    inbox: replica.inbox && { store: replica.inbox, replica: replica.id },
    pollMs: timings.poll,
    clock,
  });
  const { leavesToOthers } = replica;
  const http =
    options.http && new HttpMode({ ...options.http, interactions, leavesToOthers, log, clock });
  const shards = http
    ? undefined
    : new ShardSets({
        ...common,
        log,
        connection: {
          rest,
          membersIntent,
          gate,
          onMissed,
          onServerChanged: (server) => communityAdapter.forget(server),
          onInteraction: (interaction) => interactions.receive(interaction),
        },
        replica,
        onUp: () => hooks.onGateway?.('up'),
        onDown: () => hooks.onGateway?.('down'),
        onFault: ({ kind }) => hooks.onGateway?.(kind),
      });
  let applicationId = '';
  // Every replica manages roles and registers commands, whichever holds the shards.
  const signIn = new Supervisor({
    ...common,
    // The gateway has the same faults and reports them.
    log: shards ? onlyForDebugging(log) : log,
    connect: (onUp) => new RestSignIn({ rest, onUp }),
    onUp: (connection) => {
      applicationId = connection.applicationId;
      http?.use(connection);
      communityAdapter.use(connection);
      registrar.start(connection);
    },
    onDown: () => {},
    onFault: () => {},
  });

  function onMissed(servers: readonly string[]): void {
    for (const each of servers) communityAdapter.forget(each);
    gate?.missed(servers.map((id) => ({ platform: 'discord', id })));
  }

  function status(): ReturnType<DiscordAdapter['status']> {
    const signedIn = signIn.status();
    const delivered = shards?.status() ?? http?.status(signedIn) ?? signedIn;
    if (!delivered.ok) return delivered;
    if (!signedIn.ok) return signedIn;
    if (registrar.fault === undefined) return delivered;
    return { ok: false, detail: `Commands aren't registered. ${describeFault(registrar.fault)}` };
  }

  async function stop(): Promise<void> {
    await shards?.handOver();
    await within(interactions.close(), timings.drain);
    answers.close();
    communityAdapter.close();
    // What waited tries once more, and is settled while the store is there.
    const ending = within(interactions.close(), LAST_TRY_MS);
    await Promise.all([ending, shards?.stop(), signIn.stop(), registrar.stop()]);
    rest.close();
  }

  let stopped: Promise<void> | undefined;
  return {
    communityAdapter,
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

/** There is only this process. */
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
