/** How long the next one may take to belong to the same group. */
const NEXT_MS = 20;

/**
 * Entries one by one, but those that `isGrouped` together, if they come closely after each other: up
 * to `most` at once.
 * @param stop ends the entries; called when the groups aren't read to their end
 */
export async function* inGroups<T>(
  entries: AsyncGenerator<T>,
  isGrouped: (entry: T) => boolean,
  most: number,
  stop: () => void,
): AsyncGenerator<T[]> {
  let next: Promise<IteratorResult<T>> | undefined;
  try {
    for (;;) {
      const first = await (next ?? entries.next());
      next = undefined;
      if (first.done) return;
      const group = [first.value];
      while (group.length < most && group.every(isGrouped)) {
        next = entries.next();
        const soon = await within(next, NEXT_MS);
        if (soon === undefined || soon.done || !isGrouped(soon.value)) break;
        next = undefined;
        group.push(soon.value);
      }
      yield group;
    }
  } finally {
    // One that is waited for would hold up `return`.
    stop();
    next?.catch(() => undefined);
    await entries.return(undefined).catch(() => undefined);
  }
}

/** @returns undefined if it takes longer, or fails: whoever waits for it next will see */
async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
