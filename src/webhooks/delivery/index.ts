/** Sends webhooks over HTTP. */

import { createHash } from 'node:crypto';
import { Webhook as Signer } from 'standardwebhooks';
import { formatTime, wallMs } from '#base';
import { GuardedClient, HttpFailure, type ReplyHead, TargetGuard } from '#base/json-http';
import { retryAfterOf } from '#base/waiting';
import {
  bodyOf,
  MAX_REQUESTS,
  MAX_WEBHOOKS,
  type SendResult,
  signingSecrets,
  type WebhookSender,
} from '#webhooks/webhook';

/** A receiver's time to respond. */
const TIMEOUT_MS = 10_000;
/** The maximum size of a response; its body doesn't matter. */
const MAX_BYTES = 1024 * 1024;
/** By which a receiver says that it wants no more, as Standard Webhooks has it. */
const GONE = 410;
/** The longest Retry-After that we follow. */
export const LONGEST_RETRY_AFTER_S = 3_600;

interface WebhookSenderOptions {
  /** Networks (CIDR) that receivers may be in, besides public addresses. */
  readonly privateNetworks: readonly string[];
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  readonly timeoutMs?: number;
}

/** Sends webhooks as specified by https://www.standardwebhooks.com. Close it at the end. */
export function createWebhookSender({
  privateNetworks,
  clock = wallMs,
  timeoutMs = TIMEOUT_MS,
}: WebhookSenderOptions): WebhookSender & { close(): Promise<void> } {
  const guard = new TargetGuard({ privateNetworks });
  const client = new GuardedClient({
    guard,
    // All webhooks may be at one host: none waits for another's receiver.
    connections: MAX_WEBHOOKS * MAX_REQUESTS,
    encodings: 'as-sent',
    maxBytes: MAX_BYTES,
    timeoutMs,
  });
  return {
    idOf(webhookId, events) {
      const names = events.map(({ type, data }) => `${type} ${data.cursor}`);
      const hash = createHash('sha256').update([webhookId, ...names].join('\n'));
      return `msg_${hash.digest('base64url').slice(0, 27)}`;
    },
    async send(webhook, { id, events }, signal): Promise<SendResult> {
      const at = new Date(clock());
      const seconds = Math.floor(at.getTime() / 1000);
      const body = bodyOf(events, formatTime(seconds));
      const signatures = signingSecrets(webhook, seconds).map((secret) =>
        new Signer(secret).sign(id, at, body),
      );
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signatures.join(' '),
      };
      try {
        const request = { url: webhook.url, method: 'POST', headers, body, signal } as const;
        return resultOf(await client.send(request));
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error;
        const { head, message } = error;
        // A refusal is one whatever becomes of its body.
        if (head !== undefined && !isSuccess(head)) return resultOf(head);
        return { isTaken: false, result: `the receiver ${message}` };
      }
    },
    close: () => client.close(),
  };
}

function resultOf(head: ReplyHead): SendResult {
  const { status, headers } = head;
  return {
    isTaken: isSuccess(head),
    result: `HTTP ${status}`,
    ...(status === GONE && { isGone: true }),
    retryAfterSeconds: retryAfterOf(headers['retry-after'], LONGEST_RETRY_AFTER_S),
  };
}

function isSuccess({ status }: ReplyHead): boolean {
  return status >= 200 && status < 300;
}
