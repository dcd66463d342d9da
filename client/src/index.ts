export {
  type ChangeEntry,
  type ChangesQuery,
  isWalletChange,
  type RulesChange,
  type WalletChange,
} from './change-types.ts';
export { type CallOptions, Fathom, type FathomOptions } from './client.ts';
export { type CopiedWallet, WalletCopy, type WalletCopyOptions } from './copy.ts';
export * from './errors.ts';
export type * from './types.ts';
export {
  verifyWebhook,
  type WebhookDelivery,
  type WebhookEvent,
  type WebhookOptions,
  WebhookVerificationError,
} from './webhooks.ts';
