/** An answer at once or later; `await` does for both. */
export type MaybePromise<T> = T | Promise<T>;
