import type { Bot, Context } from 'grammy';
import type { Message, Update } from 'grammy/types';
import { type Logger, monotonicMs, outageLog, UserError, wallMs } from '#base';
import { sleep } from '#base/waiting';
import type { InboxStore, ReplicaRef, SharedBudget } from '#cluster';
import type { Answerer } from '#commands/answering';
import type { CommunityAdapter, GateEvents, UsernameStore } from '#gating';
import type { HttpDelivery, PlatformHost, RunningPlatform } from '#platforms';
import { AnonymousCalls } from './answer/button-data.ts';
import { onButton } from './answer/buttons.ts';
import { Crowds } from './answer/crowd.ts';
import { onInline } from './answer/inline.ts';
import { onEdit, onMessage, onWordless } from './answer/messages.ts';
import { UserNames, Usernames } from './answer/people.ts';
import { isWordless, peopleOf } from './answer/read-message.ts';
import {
  AnsweredMessages,
  Deduplicator,
  type OnCommand,
  repeated,
  type TelegramContext,
  textsIn,
} from './answer/telegram-context.ts';
import { createClient } from './connection/client.ts';
import { identify, keepRegistered, OwnName, updateHandler } from './connection/connect.ts';
import { InFlightUpdates, Ownership } from './connection/in-flight.ts';
import type { IntakeOptions } from './connection/intake.ts';
import { Polling } from './connection/polling.ts';
import {
  Health,
  JOINS,
  QUESTIONS,
  type Status,
  type TelegramSession,
  TIMING,
  type Timing,
  type Updates,
} from './connection/session.ts';
import { SharedWindows } from './connection/throttle.ts';
import { boundedCrowd, Lanes, laneOf, onlyQuestions } from './connection/traffic.ts';
import { type DeliveryStatus, Webhook, type WebhookOptions } from './connection/webhook.ts';
import { TelegramCommunityAdapter } from './gating/community-adapter.ts';
import { listen } from './gating/events.ts';
import { FormerGroups } from './gating/former-groups.ts';
import { groupOf } from './gating/members.ts';
import { Moderators } from './gating/moderators.ts';
import type { OnMoved } from './gating/refusals.ts';
import { FLOOD_LIMITS, type FloodLimits } from './limits.ts';
import type { TelegramSettings } from './settings.ts';

export function startBot(settings: TelegramSettings, host: PlatformHost): RunningPlatform {
  const { token, apiUrl, webhook } = settings;
  const {
    answerer,
    gate,
    log,
    replica,
    work,
    inbox,
    leavesToOthers,
    budget,
    usernames,
    onCommand,
  } = host;
  if (!settings.hasPublicUrl) {
    log.info(
      {},
      "Telegram: without PUBLIC_URL each rank card's picture is a message of its own, of the 20 a minute that a bot may send to a group; with it, twice as many members get an answer of their own",
    );
  }
  const bot = startTelegram({
    token,
    ...(apiUrl !== undefined && { apiUrl }),
    mode: webhook === undefined ? 'polling' : 'webhook',
    ...(webhook !== undefined && { webhook }),
    answerer,
    gate,
    log,
    onCommand,
    replica: replica.id,
    work,
    inbox,
    usernames,
    leavesToOthers,
    ...(budget !== undefined && { budget }),
    replicas: replica.live,
  });
  const handle = bot.handleWebhook;
  return {
    communityAdapter: bot.communityAdapter,
    status: () => bot.status(),
    invitation: () => bot.invitation(),
    deliver:
      handle &&
      (async ({ body, headers }: HttpDelivery) => {
        const secret = headers['x-telegram-bot-api-secret-token'];
        return { status: await handle(body, typeof secret === 'string' ? secret : undefined) };
      }),
    stop: () => bot.stop(),
  };
}

export interface TelegramOptions {
  readonly token: string;
  /** A Bot API server other than Telegram's own. */
  readonly apiUrl?: string;
  readonly mode: 'polling' | 'webhook';
  /** Needed in the mode `webhook`. */
  readonly webhook?: WebhookOptions;
  readonly answerer: Answerer;
  readonly log: Logger;
  /** For tests: replaces every clock; milliseconds since 1970. */
  readonly clock?: () => number;
  /** Called for every command, for metrics. */
  readonly onCommand?: OnCommand;
  /** Receives join requests, joins and leaves; without it we don't subscribe to them. */
  readonly gate?: GateEvents;
  /** Keeps usernames of people met in groups; without it nobody is found by theirs. */
  readonly usernames?: UsernameStore;
  /** Overrides Telegram's own sending limits. */
  readonly limits?: FloodLimits;
  readonly timing?: Partial<Timing>;
  /** Id of this process among all on the same store; required with `work` and `inbox`. */
  readonly replica?: string;
  /** Elects the replica that polls; without it this one does. */
  readonly work?: ReplicaRef['work'];
  /** Whether it accepts no updates: it alone can't reach `work` and `inbox`, or it stands aside. */
  readonly leavesToOthers?: () => boolean;
  /** Keeps updates until they are answered; without it they only live in memory. */
  readonly inbox?: InboxStore;
  /** Rate limit shared by all replicas, as Telegram counts per bot; requires `replicas`. */
  readonly budget?: SharedBudget;
  /** Number of live replicas: each limits itself to its share while `budget` is unavailable. */
  readonly replicas?: () => number;
}

const TELEGRAM_API = 'https://api.telegram.org';

/** A running bot. */
export interface Telegram {
  status(): Status;
  readonly communityAdapter: CommunityAdapter;
  /** The bot's private chat; undefined until it has connected. */
  invitation(): string | undefined;
  /** Mode `webhook`: one delivery. @param secret the header `X-Telegram-Bot-Api-Secret-Token` */
  handleWebhook?(update: unknown, secret: string | undefined): Promise<DeliveryStatus>;
  /** Finishes updates in flight, up to a deadline, then shuts down. */
  stop(): Promise<void>;
}

/**
 * Starts the bot and returns immediately: it connects, and reconnects, in the background. Faults of
 * Telegram or the configuration show in `status()`; they never throw.
 * @throws UserError `wrong-configuration` if the mode is `webhook` and `webhook` is missing
 */
export function startTelegram(options: TelegramOptions): Telegram {
  const { mode, webhook, answerer, log, gate } = options;
  if (mode === 'webhook' && webhook === undefined) {
    throw new UserError(
      'wrong-configuration',
      'TELEGRAM_MODE=webhook needs PUBLIC_URL and TELEGRAM_WEBHOOK_SECRET',
    );
  }
  const { replica = '', work, leavesToOthers } = options;
  const inbox = options.inbox && { inbox: options.inbox, replica, leavesToOthers };
  const turn = work && { work, id: replica, leavesToOthers };
  const timing: Timing = { ...TIMING, ...options.timing };
  const leaving = new AbortController();
  const { signal } = leaving;
  const ownership = new Ownership();
  // grammY refuses a slash at the end.
  const apiUrl = (options.apiUrl ?? TELEGRAM_API).replace(/\/+$/, '');
  const { bot, poller } = connectClient(options, { apiUrl, timing, ownership, signal });
  const parts = createContext(options, { bot, apiUrl, timing, inbox, signal });
  const { telegram, ownName, onMoved } = parts;
  const communityAdapter = new TelegramCommunityAdapter(telegram, onMoved);
  const again = new WeakSet<Update>();
  handleUpdates(bot, options, { ...parts, again });
  if (gate !== undefined) listen(bot, { telegram, communityAdapter, gate, joinMs: timing.joinMs });

  const health = new Health(log, timing.steadyMs);
  let background: Promise<unknown> | undefined;
  const session: TelegramSession = {
    ...{ bot, poller, health, log, timing, ownership, signal },
    wanted: gate === undefined ? QUESTIONS : [...QUESTIONS, ...JOINS],
    underWay: new InFlightUpdates(),
    connect: async (until) => {
      await identify(bot, log, until);
      background ??= Promise.all([
        keepRegistered(bot, answerer.commands, timing.backoff, log, signal),
        ownName.follow(timing.identityMs),
      ]);
    },
    dispatch: updateHandler(bot, log, (update) => again.add(update)),
  };
  const updates =
    webhook !== undefined && mode === 'webhook' ? new Webhook(session, webhook, inbox) : undefined;
  const source: Updates = updates ?? new Polling(session, { inbox, turn });
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await source.stop();
    await communityAdapter.close(timing.stopMs);
    leaving.abort();
    await background;
    health.stopped();
  };
  return {
    status: () => health.status,
    communityAdapter,
    invitation: () => (bot.isInited() ? `https://t.me/${bot.botInfo.username}` : undefined),
    ...(updates !== undefined && {
      handleWebhook: (update: unknown, secret: string | undefined) =>
        updates.handle(update, secret),
    }),
    stop: () => (stopped ??= stop()),
  };
}

interface ConnectionParts {
  readonly apiUrl: string;
  readonly timing: Timing;
  readonly signal: AbortSignal;
}

function connectClient(
  { token, limits = FLOOD_LIMITS, replicas, budget }: TelegramOptions,
  { apiUrl, timing, signal, ownership }: ConnectionParts & { readonly ownership: Ownership },
) {
  return createClient({
    ...{ token, apiUrl, limits, ownership, signal },
    shared: replicas && new SharedWindows({ budget, replicas, token }),
    callSeconds: timing.callSeconds,
    pollSeconds: timing.pollSeconds,
  });
}

interface ContextParts extends ConnectionParts {
  readonly bot: Bot;
  readonly inbox: IntakeOptions | undefined;
}

/** What answering needs, and what updates pass through before they are answered. */
interface AnsweringParts {
  readonly telegram: TelegramContext;
  readonly ownName: OwnName;
  readonly lanes: Lanes;
  readonly crowds: Crowds;
  readonly onMoved: OnMoved;
}

function createContext(
  options: TelegramOptions,
  { bot, apiUrl, timing, inbox, signal }: ContextParts,
): AnsweringParts {
  const { token, answerer, gate, limits = FLOOD_LIMITS, clock = wallMs } = options;
  const { api } = bot;
  const monotonic = options.clock ?? monotonicMs;
  // What Telegram refuses one member, it refuses others.
  const log = outageLog(options.log, monotonic);
  const onMoved: OnMoved = (from, to) =>
    gate?.moved({ platform: 'telegram', id: from }, { platform: 'telegram', id: to });
  const rights = { api, log, onMoved, patienceMs: timing.rightsMs };
  const names = { api, patienceMs: timing.namesMs };
  const people = new UserNames({ ...names, clock: monotonic });
  const lanes = new Lanes(laneOf);
  const crowds = new Crowds({
    ...{ api, people, limits, clock, signal },
    textsIn: (message) => textsIn({ answerer }, message),
  });
  const firsts = new Deduplicator(inbox);
  const ownName = new OwnName({ bot, log, clock: monotonic, signal });
  const telegram: TelegramContext = {
    ...{ api, answerer, log, clock, signal, people },
    me: () => bot.botInfo,
    heardName: (name) => ownName.heard(name),
    onCommand: options.onCommand ?? (() => undefined),
    release: (message) => lanes.release(message),
    moderators: new Moderators({ ...rights, clock: monotonic }),
    formerGroups: new FormerGroups(rights),
    usernames: new Usernames({ ...names, log, clock, store: options.usernames }),
    answered: new AnsweredMessages(),
    anonymousCalls: new AnonymousCalls(),
    inbox: options.inbox,
    isFirst: (key) => firsts.isFirst(key),
    async restOfAlbum(message) {
      lanes.release(message);
      await sleep(timing.albumMs, signal);
    },
    async toGroup(waiting) {
      const sent = crowds.answer(waiting);
      lanes.release(waiting.message);
      return await sent;
    },
    fileUrl: (path) => `${apiUrl}/file/bot${token}/${path}`,
  };
  return { telegram, ownName, lanes, crowds, onMoved };
}

/** @param again updates that another process may have handled before */
function handleUpdates(
  bot: Bot,
  { mode, replicas }: TelegramOptions,
  { telegram, lanes, crowds, again }: AnsweringParts & { readonly again: WeakSet<Update> },
): void {
  const onMissed = (message: Message) => crowds.miss(message);
  bot.use(onlyQuestions, boundedCrowd(telegram.onCommand, onMissed), lanes.middleware);
  bot.use(async (context, next) => {
    notePeople(telegram, context);
    await next();
  });
  const contextFor = ({ update }: Context) => (again.has(update) ? repeated(telegram) : telegram);
  // What another process may have answered before the edit isn't done a second time.
  const begunAt = telegram.clock() / 1000;
  const contextForEdit = (context: Context, { date }: Message) =>
    date < begunAt || (mode === 'webhook' && (replicas?.() ?? 1) > 1)
      ? repeated(telegram)
      : contextFor(context);
  bot.on(['message:text', 'message:caption'], (context) =>
    onMessage(contextFor(context), context.message),
  );
  bot.on('message').filter(
    ({ message }) => isWordless(message),
    (context) => onWordless(telegram, context.message),
  );
  bot.on(['edited_message:text', 'edited_message:caption'], (context) =>
    onEdit(contextForEdit(context, context.editedMessage), context.editedMessage),
  );
  bot.on('callback_query:data', (context) => onButton(contextFor(context), context.callbackQuery));
  bot.on('inline_query', (context) => onInline(telegram, context.inlineQuery));
}

/** Notes the names of everybody whom an update shows. */
function notePeople({ people, usernames }: TelegramContext, context: Context): void {
  const { from, chat, msg, chatMember, me } = context;
  const group = chat && groupOf(chat)?.id;
  // What the bot wrote itself mentions people by the names that they had then.
  const named = msg === undefined || msg.from?.id === me.id ? [] : peopleOf(msg);
  const changed = chatMember?.new_chat_member.user;
  for (const each of [from, msg?.reply_to_message?.from, changed, ...named]) {
    if (each === undefined) continue;
    people.note(each);
    if (group !== undefined) usernames.meet(group, each);
  }
}
