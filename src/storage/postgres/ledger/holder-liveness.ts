/** One observation of a program's connection. */
export interface Sample {
  /** Changes with everything that the program does. */
  readonly sign: string;
  /**
   * Whether the server waits for the program; while the server works for it, the program is alive.
   */
  readonly waitsForClient: boolean;
}

/** Distinguishes a frozen program from a slow one by repeated observation. */
export class HolderLiveness {
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
   * @param now milliseconds of a monotonic clock
   * @returns whether all observations for that long were the same
   */
  isLifeless({ sign, waitsForClient }: Sample, now: number): boolean {
    if (!waitsForClient || sign !== this.#sign) {
      this.#sign = waitsForClient ? sign : undefined;
      this.#since = now;
    }
    return this.#sign !== undefined && now - this.#since >= this.#limitMs;
  }
}
