import type { APIInteraction, APIInteractionResponse } from 'discord.js';
import type { Logger } from '#base';
import { within } from '#base/waiting';
import { type Delivery, Inbox, type InboxStore, SeenOnce } from '#cluster';
import { createdAt } from '#platforms/discord/limits';
import { errorFields } from '#platforms/discord/logging';
import { callerOf } from './caller.ts';
import { choicesOf, type Plan, planOf } from './plan.ts';
import { awaited, type ReplyContext, type ResponseOutcome, show } from './show.ts';

export interface InteractionHooks {
  /** @param name a command, `autocomplete` or `unknown` */
  readonly onCommand?: (name: string, outcome: ResponseOutcome, seconds: number) => void;
  /** @param seconds from receiving an interaction to acknowledging it */
  readonly onAcknowledged?: (seconds: number) => void;
}

interface InteractionsOptions {
  readonly context: ReplyContext;
  readonly hooks: InteractionHooks;
  /** Undefined if there is only this process. */
  readonly inbox: SharedInbox | undefined;
  /** Average milliseconds between checks for interactions left by dead replicas. */
  readonly pollMs: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** An interaction's token is valid for 15 minutes, by Discord's clock. */
const ANSWERABLE_MS = 14 * 60_000;
/** Discord waits three seconds for suggestions, and by then the member has typed on. */
const CHOICES_MS = 2_000;

/** Answers interactions. Nothing it receives ends the process. */
export class Interactions {
  readonly #underWay = new Set<Promise<void>>();
  readonly #options: InteractionsOptions;
  readonly #deliveries: Deliveries;
  #open = true;

  constructor(options: InteractionsOptions) {
    this.#options = options;
    this.#deliveries = new Deliveries(options.inbox, options.pollMs, options.context.log);
    this.#begin(this.#deliveries.watch((delivery) => this.#resume(delivery)));
  }

  /** Whether interactions are accepted. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** Accepts an interaction from the gateway; duplicates are answered once. */
  receive(interaction: APIInteraction): void {
    if (this.#open) this.#begin(this.#receive(interaction));
  }

  /**
   * Accepts an interaction delivered by HTTP. Never throws.
   * @returns the HTTP response, well within Discord's three seconds; undefined for what we never
   *   register or send
   */
  async respond(interaction: APIInteraction): Promise<APIInteractionResponse | undefined> {
    const { context, hooks } = this.#options;
    const seconds = stopwatch();
    const plan = this.#planOf(interaction);
    if (plan === undefined) return undefined;
    if (plan.kind === 'choices') return this.#choices(interaction, plan.typed);
    const { name, body, followUp } = plan;
    // The first delivery's handler answers in place of this same deferral. A second deferral is
    // harmless, and the first may have got lost.
    if (followUp === undefined) {
      hooks.onAcknowledged?.(seconds());
      hooks.onCommand?.(name, 'answered', seconds());
      return body;
    }
    const taken = this.#deliveries.take(interaction, true);
    const follow = async () => {
      if (!(await taken)) return;
      hooks.onAcknowledged?.(seconds());
      context.answers.handOver(interaction);
      await this.#work(interaction, name, seconds, () => show(context, interaction, followUp));
    };
    // From here on, not only once it's taken: a shutdown in between wouldn't wait for it, and its answer would be sent
    // before the deferral.
    this.#begin(follow());
    await taken;
    return body;
  }

  /** Accepts nothing more, and resolves once everything accepted is answered. */
  async close(): Promise<void> {
    this.#open = false;
    this.#deliveries.close();
    await Promise.all(this.#underWay);
  }

  #begin(work: Promise<void>): void {
    const done = work.finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  async #receive(interaction: APIInteraction): Promise<void> {
    const { context, hooks } = this.#options;
    const seconds = stopwatch();
    const plan = this.#planOf(interaction);
    const lasts = plan?.kind === 'answer' && plan.followUp !== undefined;
    if (!(await this.#deliveries.take(interaction, lasts))) return;
    if (plan === undefined) return hooks.onCommand?.('unknown', 'failed', seconds());
    const acknowledged = () => hooks.onAcknowledged?.(seconds());
    const work = () => reply(context, interaction, plan, acknowledged);
    await this.#work(interaction, plan.name, seconds, work);
  }

  /** Answers an interaction another replica left. */
  async #resume({ id, body }: Delivery): Promise<void> {
    const { context, clock } = this.#options;
    const interaction = parsed(body);
    const isAnswerable = interaction !== undefined && clock() - createdAt(id) < ANSWERABLE_MS;
    const plan = isAnswerable ? this.#planOf(interaction) : undefined;
    if (!isAnswerable || plan?.kind !== 'answer' || plan.followUp === undefined) {
      context.log.debug({}, 'Discord: too late to answer an interaction another replica left');
      return this.#deliveries.settle(id);
    }
    const { name, followUp } = plan;
    const again = async (): Promise<ResponseOutcome> => {
      // The other replica may have finished without recording it.
      const isDone = followUp.thinking && (await context.answers.isShown(interaction));
      return isDone ? 'answered' : show(context, interaction, followUp, true);
    };
    await this.#work(interaction, name, stopwatch(), again);
  }

  /** Handles an interaction, counts it, and settles it. */
  async #work(
    interaction: APIInteraction,
    name: string,
    seconds: () => number,
    work: () => Promise<ResponseOutcome>,
  ): Promise<void> {
    const { context, hooks } = this.#options;
    const { id } = interaction;
    context.answers.guard(interaction, () => this.#deliveries.isOurs(id));
    const outcome = await work().catch((error): ResponseOutcome => {
      context.log.warn(
        { command: name, ...errorFields(error) },
        'Discord rejected an answer; the member can try again',
      );
      return 'failed';
    });
    hooks.onCommand?.(name, outcome, seconds());
    // Work interrupted by a shutdown is left to another replica.
    if (outcome === 'failed' && context.answers.isClosed) return;
    await this.#deliveries.settle(id);
  }

  async #choices(interaction: APIInteraction, typed: string): Promise<APIInteractionResponse> {
    const { context, hooks } = this.#options;
    const seconds = stopwatch();
    const asked = context.asked.suggest(callerOf(interaction), typed).catch((error) => {
      context.log.error(errorFields(error), 'bug: could not suggest wallets');
    });
    const suggestions = await within(asked, CHOICES_MS);
    hooks.onCommand?.('autocomplete', suggestions ? 'answered' : 'failed', seconds());
    return choicesOf(suggestions ?? []);
  }

  #planOf(interaction: APIInteraction): Plan | undefined {
    const { context } = this.#options;
    try {
      const plan = planOf(context, interaction);
      if (plan === undefined) {
        context.log.debug(
          { type: interaction.type },
          'Discord: received an interaction we never register',
        );
      }
      return plan;
    } catch (error) {
      context.log.warn(errorFields(error), 'Discord: received a malformed interaction');
      return undefined;
    }
  }
}

/** Seconds elapsed. */
function stopwatch(): () => number {
  const started = performance.now();
  return () => (performance.now() - started) / 1000;
}

/** Parses what the inbox stored. */
function parsed(body: string): APIInteraction | undefined {
  try {
    return JSON.parse(body) as APIInteraction;
  } catch {
    return undefined;
  }
}

/**
 * Answers an interaction from the gateway: acknowledges it within three seconds, then runs the
 * command and shows the card.
 * @param acknowledged called once Discord has accepted the acknowledgement
 * @throws what Discord rejected
 */
async function reply(
  context: ReplyContext,
  interaction: APIInteraction,
  plan: Plan,
  acknowledged: () => void,
): Promise<ResponseOutcome> {
  const { asked, answers } = context;
  if (plan.kind === 'choices') {
    const suggestions = await asked.suggest(callerOf(interaction), plan.typed);
    return awaited(await answers.acknowledge(interaction, choicesOf(suggestions)));
  }
  if (!(await answers.acknowledge(interaction, plan.body))) return 'expired';
  acknowledged();
  return plan.followUp === undefined ? 'answered' : show(context, interaction, plan.followUp);
}

/** Timeout of the inbox; Discord waits three seconds for the first answer. */
const RECEIVE_MS = 700;
/** Interactions taken over at once. */
const AT_ONCE = 20;
const WORDS = {
  away: 'Discord: the inbox is unavailable; what a replica starts now is lost if it dies',
  back: 'Discord: the inbox is available again',
};

/** State shared by replicas, so that exactly one answers each interaction. */
interface SharedInbox {
  readonly store: InboxStore;
  /** Id of this process. */
  readonly replica: string;
}

/**
 * Interactions delivered to us. Each is accepted once: among all replicas if they share an
 * available inbox, otherwise in this process.
 */
class Deliveries {
  readonly #inbox: Inbox | undefined;
  /** After a lost connection Discord redelivers events, at most minutes later. */
  readonly #seen = new SeenOnce<string>();
  readonly #closing = new AbortController();

  /** @param shared undefined if there is only this process */
  constructor(shared: SharedInbox | undefined, pollMs: number, log: Logger) {
    const { signal } = this.#closing;
    const options = { platform: 'discord', pollMs, words: WORDS, log, signal } as const;
    this.#inbox = shared && new Inbox({ ...shared, ...options });
  }

  /**
   * Accepts an interaction. Never throws.
   * @param lasts whether work remains after the first answer, which must be done even if this
   *   process dies
   * @returns whether it's new, and ours to answer
   */
  async take(interaction: APIInteraction, lasts: boolean): Promise<boolean> {
    if (!this.#seen.isNew(interaction.id)) return false;
    if (this.#inbox === undefined || !lasts) return true;
    const received = this.#inbox.receive(interaction.id, JSON.stringify(interaction));
    // We answer even without the store: duplicates are rare.
    return (await within(received, RECEIVE_MS)) ?? true;
  }

  /** See `Inbox`. */
  async isOurs(id: string): Promise<boolean> {
    return this.#inbox === undefined || (await this.#inbox.isOurs(id));
  }

  /** See `Inbox`. */
  async settle(id: string): Promise<void> {
    await this.#inbox?.settle(id);
  }

  /**
   * Checks about every second for interactions left by dead replicas, until closed.
   * @param resume answers one of them; must not throw
   */
  async watch(resume: (delivery: Delivery) => Promise<void>): Promise<void> {
    const resumed = new Set<Promise<void>>();
    await this.#inbox?.watch({
      free: () => AT_ONCE - resumed.size,
      resume: (delivery) => {
        this.#seen.isNew(delivery.id);
        const work = resume(delivery).finally(() => resumed.delete(work));
        resumed.add(work);
      },
    });
  }

  /** Takes nothing over from now on. Accepted interactions can still be settled. */
  close(): void {
    this.#closing.abort();
  }
}
