/** A value now or later; `await` handles both. */
export type MaybePromise<T> = T | Promise<T>;
