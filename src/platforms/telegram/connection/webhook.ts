import { createHash, timingSafeEqual } from 'node:crypto';
import type { Update, WebhookInfo } from 'grammy/types';
import { wallMs } from '#base';
import { sleep } from '#base/waiting';
import { handlerOnce } from './connect.ts';
import { FoundFault } from './faults.ts';
import { Intake, type IntakeOptions } from './intake.ts';
import { Patience, type TelegramSession, type Updates } from './session.ts';
import { isUpdate } from './traffic.ts';

export interface WebhookOptions {
  /** Where Telegram delivers updates: https. */
  readonly url: string;
  /** Sent with every delivery as `X-Telegram-Bot-Api-Secret-Token`: `[A-Za-z0-9_-]{1,256}` */
  readonly secret: string;
}

/** The HTTP status for a delivery. Telegram retries unless it's 2xx. */
export type DeliveryStatus = 200 | 400 | 401 | 503;

/** Receives updates by webhook; sets it, and checks regularly that it still works. */
export class Webhook implements Updates {
  readonly #link: TelegramSession;
  readonly #options: WebhookOptions;
  readonly #secret: Buffer;
  readonly #intake: Intake | undefined;
  readonly #handle: (update: Update) => Promise<void>;
  #stopping = false;

  /** @param inbox without it we only acknowledge an update once it's handled */
  constructor(link: TelegramSession, options: WebhookOptions, inbox: IntakeOptions | undefined) {
    this.#link = link;
    this.#options = options;
    this.#secret = digest(options.secret);
    this.#intake = inbox === undefined ? undefined : new Intake(link, inbox);
    this.#handle = handlerOnce(link);
    void this.#watch();
  }

  /** Handles a delivery; returns once the update can't be lost. */
  async handle(update: unknown, secret: string | undefined): Promise<DeliveryStatus> {
    if (!timingSafeEqual(digest(secret ?? ''), this.#secret)) return 401;
    if (!isUpdate(update)) return 400;
    // Telegram keeps it and retries.
    if (this.#stopping || !this.#link.bot.isInited()) return 503;
    if (this.#intake !== undefined) return (await this.#intake.take(update)) ? 200 : 503;
    await this.#handle(update);
    return 200;
  }

  async #watch(): Promise<void> {
    const link = this.#link;
    const patience = new Patience(link);
    const host = URL.parse(this.#options.url)?.host ?? 'an invalid URL';
    let set = false;
    while (!link.signal.aborted) {
      try {
        await link.connect(link.signal);
        if (!set) await this.#set();
        set = true;
        const info = await link.bot.api.getWebhookInfo();
        set = info.url !== '';
        this.#check(info);
        patience.good(`webhook at ${host} as @${link.bot.botInfo.username}`);
        await sleep(link.timing.webhookCheckMs, link.signal);
      } catch (error) {
        if (!link.signal.aborted) await patience.afterFault(error, link.signal);
      }
    }
  }

  async #set(): Promise<void> {
    const { url, secret } = this.#options;
    await this.#link.bot.api.setWebhook(url, {
      secret_token: secret,
      allowed_updates: this.#link.wanted,
    });
  }

  /** @throws FoundFault if updates aren't delivered to us */
  #check(info: WebhookInfo): void {
    if (info.url === '') {
      throw new FoundFault('webhook-set', 'the webhook was removed; setting it again');
    }
    if (info.url !== this.#options.url) {
      throw new FoundFault(
        'conflict',
        'another program has set its own webhook for this bot: stop it, or use a separate bot',
      );
    }
    const seconds = wallMs() / 1000 - (info.last_error_date ?? 0);
    if (seconds * 1000 < this.#link.timing.webhookCheckMs && info.pending_update_count > 0) {
      throw new FoundFault(
        'delivery',
        `Telegram can't deliver to the webhook (${info.last_error_message ?? 'no reason given'}): check PUBLIC_URL and your reverse proxy`,
      );
    }
  }

  /** Leaves the webhook set: other replicas use it, and otherwise Telegram keeps updates. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#intake?.stop();
    await this.#link.underWay.settle(this.#link.timing.stopMs);
  }
}

/** Hashed because `timingSafeEqual` needs equal lengths. */
function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
