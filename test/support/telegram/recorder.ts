import type { Payload } from './rules.ts';

/** One call that the bot made. */
export interface MadeCall {
  readonly method: string;
  readonly payload: Payload;
  readonly ok: boolean;
}

/** What was called and what was wrong with it. */
export class Recorder {
  readonly calls: MadeCall[] = [];
  readonly violations: string[] = [];
  /** True leaves out the checks and keeps no calls, so that the bot is measured and not this. */
  measuring = false;
  #watchers: (() => void)[] = [];

  /** Waits until something is the case; it is looked at after every call, and now and then. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 20);
        this.#watchers.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** What a method was called with, whenever that went well. */
  made(method: string): Payload[] {
    return this.calls.filter((each) => each.ok && each.method === method).map((e) => e.payload);
  }

  /** Waits for the n-th call of a method that goes well. */
  async nth(method: string, n: number): Promise<Payload> {
    await this.until(() => this.made(method).length >= n);
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
