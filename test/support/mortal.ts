/** A process that may be killed: nothing happens any more of what it asks for from then on. */
export class Life {
  isOver = false;
  #left: number;
  readonly #isDone: boolean;

  /**
   * @param calls after so many it is killed in the middle of the next one
   * @param isDone whether that one still happens, though its answer never comes
   */
  constructor(calls = Number.POSITIVE_INFINITY, isDone = false) {
    this.#left = calls;
    this.#isDone = isDone;
  }

  end(): void {
    this.isOver = true;
  }

  /** The same object as this process uses it. */
  of<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => this.#call(() => member.apply(target, args));
      },
    });
  }

  #call(work: () => unknown): unknown {
    if (this.isOver) return NEVER;
    this.#left -= 1;
    if (this.#left >= 0) return work();
    this.isOver = true;
    return this.#isDone ? Promise.resolve(work()).then(() => NEVER) : NEVER;
  }
}

const NEVER = new Promise<never>(() => {});
