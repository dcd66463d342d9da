/** What every room needs and no feature owns: errors, time, text, logs, limits. */

export {
  type ApiKey,
  createApiKey,
  type KeyStore,
  LIVE_KEYS_PER_OWNER,
  looksLikeApiKey,
} from './api-key.ts';
export { BoundedMap, Recent, SizedCache } from './bounded-map.ts';
export {
  BAD_COPIES,
  BusyError,
  type CardErrorCode,
  type GateErrorCode,
  isForOperator,
  isOutage,
  type LinkErrorCode,
  messageOf,
  OPERATOR_RETRY,
  type ParameterFault,
  PlatformFault,
  type ProofErrorCode,
  RetryableError,
  sentenceOf,
  UserError,
  type UserErrorCode,
} from './errors.ts';
export { type CheckFinding, fail, ok, warn } from './finding.ts';
export {
  isInternalError,
  newRpcIds,
  type RpcCall,
  rpcErrorOf,
  rpcIdOf,
  rpcRequest,
} from './json-rpc.ts';
export {
  type LogFields,
  type Logger,
  outageLog,
  ProblemLog,
  ProblemLogs,
  SharedProblemLog,
} from './log.ts';
export { type MaybePromise, mapMaybe } from './maybe-promise.ts';
export type { PlatformId, PlatformTraits } from './platform-traits.ts';
export {
  type BulkCount,
  countLocally,
  fits,
  isRunning,
  makeRoom,
  type RateCounter,
  type RateCounterMaker,
  type RateWindow,
  type RateWindowOptions,
  RateWindows,
  refused,
  secondsLeft,
} from './rate-window.ts';
export {
  type BackoffRange,
  doublingDelay,
  RETRY_DEADLINE_MS,
  type RetryOptions,
  withRetry,
} from './retry.ts';
export { base64Text, hexText } from './text/byte-text.ts';
export { fieldOf } from './text/json-field.ts';
export { Html, html, inlineCode, jsonBlock, NOTHING, safeWebUrl } from './text/markup.ts';
export { findMisspelled, nearest } from './text/nearest.ts';
export {
  asciiDigits,
  displayWidth,
  fitColumns,
  graphemesOf,
  hasVisibleText,
  isolateRightToLeft,
  safeText,
  sanitizeText,
  truncate,
  UNFIT,
  unfitCharacter,
  withoutQuotes,
} from './text/sanitize-text.ts';
export {
  type Elapsed,
  MonotonicDates,
  monotonicMs,
  SettledClock,
  SettledDay,
  SteppedClock,
  unadjustedElapsed,
  wallMs,
  wallSeconds,
} from './time/clock.ts';
export { parseHttpDate } from './time/http-date.ts';
export {
  DAY_SECONDS,
  dateOf,
  dayOf,
  daysOf,
  formatTime,
  parseDay,
  parseIsoTime,
  parseTime,
} from './time/time.ts';
