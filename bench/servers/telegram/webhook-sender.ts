import type { WebhookInfo } from 'grammy/types';
import type { UpdateQueue } from './updates.ts';

/** Receives one delivery; returns the HTTP status. */
export type Deliver = (update: unknown, secret: string) => Promise<number>;

const RETRY_MS = 20;

/** Delivers updates by webhook, repeatedly until they're accepted. */
export class WebhookSender {
  url = '';
  secret = '';
  /** Instead of HTTP. */
  deliver: Deliver = (update, secret) => post(this.url, update, secret);
  /** The last failure, as Telegram reports it. */
  failing: string | undefined;
  /** Statuses of all deliveries. */
  readonly statuses: number[] = [];
  readonly #queue: UpdateQueue;
  #closed = false;

  constructor(queue: UpdateQueue) {
    this.#queue = queue;
  }

  info(): WebhookInfo {
    const failing = this.failing !== undefined;
    return {
      url: this.url,
      has_custom_certificate: false,
      pending_update_count: failing ? 1 : this.#queue.pending.length,
      ...(failing && {
        last_error_date: Math.ceil(Date.now() / 1000),
        last_error_message: this.failing,
      }),
    } as WebhookInfo;
  }

  set(url: string, secret: string): void {
    this.url = url;
    this.secret = secret;
    this.flush();
  }

  /** Sends what is waiting. */
  flush(): void {
    if (this.url === '') return;
    for (const update of this.#queue.take()) void this.#send(update);
  }

  close(): void {
    this.#closed = true;
  }

  async #send(update: unknown): Promise<void> {
    while (!this.#closed && this.url !== '') {
      const status = await this.deliver(update, this.secret).catch(() => 0);
      this.statuses.push(status);
      if (status >= 200 && status < 300) return;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

async function post(url: string, update: unknown, secret: string): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
    body: JSON.stringify(update),
  });
  await response.arrayBuffer();
  return response.status;
}
