/** Sends webhooks over HTTP. */

export { createWebhookSender, LONGEST_RETRY_AFTER_S } from './http-sender.ts';
