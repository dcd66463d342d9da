/** A value now or later; `await` handles both. */
export type MaybePromise<T> = T | Promise<T>;

/** Uses a value: at once if it's there already. */
export function mapMaybe<T, R>(
  value: MaybePromise<T>,
  use: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
