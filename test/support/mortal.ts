/** A process that may be killed: from then on nothing it asks for happens. */
export class Life {
  isOver = false;
  #left: number;
  readonly #isDone: boolean;

  /**
   * @param calls it's killed in the middle of the call after this many
   * @param isDone whether that call is still carried out, although its response never arrives
   */
  constructor(calls = Number.POSITIVE_INFINITY, isDone = false) {
    this.#left = calls;
    this.#isDone = isDone;
  }

  end(): void {
    this.isOver = true;
  }

  /** The same object as used by this process. */
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
