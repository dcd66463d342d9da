import type { Api } from 'grammy';

/** As grammY declares what ends a call: by the type of a polyfill, which lacks what Node's has besides. */
export type CallSignal = NonNullable<Parameters<Api['getMe']>[0]>;

/** A signal as grammY takes it. */
export function callSignal(signal: AbortSignal): CallSignal {
  return signal as CallSignal;
}

/** The same from grammY. */
export function nodeSignal(signal: CallSignal): AbortSignal {
  return signal as AbortSignal;
}

const ONCE_ALONE = new WeakSet<CallSignal>();

/** A signal for a call that mustn't be retried: what it posts mustn't appear twice. */
export function noRetrySignal(milliseconds: number): CallSignal {
  const signal = callSignal(AbortSignal.timeout(milliseconds));
  ONCE_ALONE.add(signal);
  return signal;
}

/** Whether it's of such a call. */
export function forbidsRetry(signal: CallSignal | undefined): boolean {
  return signal !== undefined && ONCE_ALONE.has(signal);
}
