import { type MaybePromise, RetryableError, UserError } from '#base';

/** Part of a page. `unsupported`: the source never has it; `unavailable`: it can't be read right now. */
export type PagePart<T> = { readonly value: T } | 'unsupported' | 'unavailable';

/** The part's value, if it's there. */
export function partValue<T>(of: PagePart<T>): T | undefined {
  return typeof of === 'string' ? undefined : of.value;
}

/** Reads a part. @throws anything but errors of availability */
export async function readPart<T>(read: () => MaybePromise<T | undefined>): Promise<PagePart<T>> {
  try {
    const value = await read();
    return value === undefined ? 'unavailable' : { value };
  } catch (error) {
    if (error instanceof RetryableError) return 'unavailable';
    if (error instanceof UserError && error.code === 'route-not-found') return 'unsupported';
    throw error;
  }
}
