export {
  type ChangeEntry,
  type ChangesQuery,
  isWalletChange,
  type RulesChange,
  type WalletChange,
} from './change-types.ts';
export { type CallOptions, Fathom, type FathomOptions } from './client.ts';
export { type CopiedWallet, WalletCopy, type WalletCopyOptions } from './copy.ts';
export {
  BadRequestError,
  ChainMismatchError,
  ConnectionError,
  CursorGoneError,
  DataUnavailableError,
  DuplicateParameterError,
  FathomError,
  HeadersTooLargeError,
  InternalError,
  InvalidAddressError,
  InvalidApiKeyError,
  InvalidParameterError,
  isRetryable,
  MethodNotAllowedError,
  PreconditionFailedError,
  RateLimitedError,
  RequestTimeoutError,
  RouteNotFoundError,
  UnknownParameterError,
  UriTooLongError,
  WalletNotFoundError,
} from './errors.ts';
export type { Freshness, Result } from './freshness.ts';
export { hasTier } from './tiers.ts';
export type * from './types.ts';
export {
  verifyWebhook,
  type WebhookDelivery,
  type WebhookEvent,
  type WebhookOptions,
  WebhookVerificationError,
} from './webhooks.ts';
