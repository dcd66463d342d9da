import type { Payload } from './rules.ts';

const PATIENCE_MS = 50_000;

/** One call by the bot. */
export interface MadeCall {
  readonly method: string;
  readonly payload: Payload;
  readonly ok: boolean;
}

/** Calls, and what was wrong with them. */
export class Recorder {
  readonly calls: MadeCall[] = [];
  readonly violations: string[] = [];
  /** True skips the checks and keeps no calls, so that the bot is measured rather than this. */
  measuring = false;
  #watchers: (() => void)[] = [];

  /**
   * Waits until a condition holds; checks after every call and every 20 ms.
   * @param what it waits for, for the error after 50 s
   */
  async until(isSo: () => boolean, what = String(isSo)): Promise<void> {
    for (const until = performance.now() + PATIENCE_MS; !isSo(); ) {
      if (performance.now() > until) {
        const made = this.calls.map(({ method, ok }) => `${method}${ok ? '' : ' (failed)'}`);
        throw new Error(`waited 50 s for ${what}; calls: ${made.slice(-50).join(', ')}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 20);
        this.#watchers.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** The parameters of a method's successful calls. */
  made(method: string): Payload[] {
    return this.calls.filter((each) => each.ok && each.method === method).map((e) => e.payload);
  }

  /** Waits for the n-th successful call of a method. */
  async nth(method: string, n: number): Promise<Payload> {
    await this.until(() => this.made(method).length >= n, `call ${n} of ${method}`);
    return this.made(method)[n - 1] as Payload;
  }

  protected violated(faults: readonly string[]): void {
    this.violations.push(...faults);
  }

  protected record(call: MadeCall): void {
    if (!this.measuring) this.calls.push(call);
    for (const watcher of this.#watchers.splice(0)) watcher();
  }
}
