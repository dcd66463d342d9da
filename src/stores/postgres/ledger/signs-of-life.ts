/** What a look at a program's connection shows. */
export interface Sample {
  /** Changes with everything that the program does. */
  readonly sign: string;
  /** Whether the server waits for the program; while it works for it, that one lives. */
  readonly waitsForClient: boolean;
}

/** Tells one that is frozen from one that is slow, by looking at it again and again. */
export class SignsOfLife {
  readonly #limitMs: number;
  #sign: string | undefined;
  #since = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  get limitText(): string {
    return `${Math.round(this.#limitMs / 1000)} s`;
  }

  /**
   * @param now milliseconds since any fixed moment
   * @returns whether every look for so long has shown the same
   */
  isLifeless({ sign, waitsForClient }: Sample, now: number): boolean {
    if (!waitsForClient || sign !== this.#sign) {
      this.#sign = waitsForClient ? sign : undefined;
      this.#since = now;
    }
    return this.#sign !== undefined && now - this.#since >= this.#limitMs;
  }
}
