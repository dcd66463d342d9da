import type { APIInteraction } from 'discord.js';
import { decodeCall } from '#core/call-code';
import { describe } from '#platforms/discord/describe';
import { decodeForm } from '#platforms/discord/forms';
import { reply } from './reply.ts';
import { type Request, readRequest } from './request.ts';
import { Seen } from './seen.ts';
import type { Outcome, ReplyContext } from './show.ts';

export interface InteractionHooks {
  /** @param name a command's, or `autocomplete`; `unknown` for what is neither */
  readonly onCommand?: (name: string, outcome: Outcome, seconds: number) => void;
  /** @param seconds from the gateway's event to Discord's having taken the acknowledgement */
  readonly onAcknowledged?: (seconds: number) => void;
}

/** Discord delivers an event again after a lost connection, minutes later at most. */
const REMEMBERED = 10_000;

/** Answers what members do. It never throws, and nothing that it is asked ends the process. */
export class Interactions {
  readonly #underWay = new Set<Promise<void>>();
  readonly #seen = new Seen(REMEMBERED);
  readonly #context: ReplyContext;
  readonly #hooks: InteractionHooks;
  #open = true;

  constructor(context: ReplyContext, hooks: InteractionHooks) {
    this.#context = context;
    this.#hooks = hooks;
  }

  /** Takes an interaction on; one that was delivered twice is answered once. */
  receive(interaction: APIInteraction): void {
    if (!this.#open || !this.#seen.first(interaction.id)) return;
    const work = this.#work(interaction).finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  /** Takes nothing on from now, and resolves when all that was taken on is answered. */
  async close(): Promise<void> {
    this.#open = false;
    await Promise.all(this.#underWay);
  }

  async #work(interaction: APIInteraction): Promise<void> {
    const started = performance.now();
    const seconds = () => (performance.now() - started) / 1000;
    let name = 'unknown';
    let outcome: Outcome = 'failed';
    try {
      const request = readRequest(interaction, this.#context.asked);
      if (request === undefined) {
        this.#context.log.debug({ type: interaction.type }, 'Discord: this is not for us');
        return;
      }
      name = this.#nameOf(request);
      const acknowledged = () => this.#hooks.onAcknowledged?.(seconds());
      outcome = await reply(this.#context, interaction, request, acknowledged);
    } catch (error) {
      this.#context.log.warn(
        { command: name, ...describe(error) },
        'Discord did not take an answer; whoever asked can ask again',
      );
    } finally {
      this.#hooks.onCommand?.(name, outcome, seconds());
    }
  }

  /** One of few names, whatever was sent: it becomes a label of a metric. */
  #nameOf(request: Request): string {
    if (request.kind === 'suggest') return 'autocomplete';
    const { asked } = this.#context;
    if (request.kind === 'command') {
      return asked.commandNamed(request.call.command)?.name ?? 'unknown';
    }
    const decode = request.kind === 'press' ? decodeCall : decodeForm;
    return decode(request.code, asked.commands)?.call.command ?? 'unknown';
  }
}
