import { expect, onTestFinished } from 'vitest';
import { Names, type NamesOptions } from '#names/names';
import { type NameService, normalizeEns, type TakeLate } from '#names/services/service';
import { untilPasses } from './eventually.ts';
import { silentLog } from './log.ts';

/** Clocks that only move when set. */
class Clocks {
  ms = 1_000_000;
  /** How far the wall clock was set. */
  step = 0;
  readonly monotonic = () => this.ms;
  readonly wall = () => this.ms + this.step;
}

/** A service with a map of names; `gate`, if set, holds every look-up. */
class FakeService implements NameService {
  readonly chain = 'ethereum';
  readonly endings = ['.eth'];
  readonly takesOthers = true;
  leadsBack = true;
  readonly batchSize = 30;
  readonly pauseMs = 0;
  readonly names = new Map<string, string>();
  readonly wallets = new Map<string, string>();
  /** The requested batches. */
  readonly batches: (readonly string[])[] = [];
  readonly typed: string[] = [];
  gate: Promise<void> | undefined;
  failure: Error | undefined;
  /** A wallet whose look-up fails. */
  broken: string | undefined;
  /** Wallets whose look-up goes on after their batch. */
  readonly late = new Map<string, Promise<string | undefined>>();
  normalize = normalizeEns;
  readonly check = () => Promise.resolve();
  readonly close = () => Promise.resolve();

  async namesOf(addresses: readonly string[], _: AbortSignal, takeLate: TakeLate) {
    this.batches.push(addresses);
    await this.#wait();
    for (const address of addresses) {
      const name = this.late.get(address);
      if (name !== undefined) takeLate(address, name);
    }
    const found = addresses.filter((each) => each !== this.broken && !this.late.has(each));
    return new Map(found.map((address) => [address, this.names.get(address)]));
  }

  async walletOf(name: string) {
    this.typed.push(name);
    await this.#wait();
    return this.wallets.get(name);
  }

  async #wait(): Promise<void> {
    await this.gate;
    if (this.failure !== undefined) throw this.failure;
  }
}

/** Names by one fake service. */
export function openNames(changes: Partial<NamesOptions> = {}) {
  const service = new FakeService();
  const clocks = new Clocks();
  const { monotonic, wall } = clocks;
  const names = new Names({ services: [service], log: silentLog, monotonic, wall, ...changes });
  onTestFinished(() => names.close());
  return { service, clocks, names };
}

export const shows = (names: Names, address: string, name: string | undefined) =>
  untilPasses(() => expect(names.nameOf(address)).toBe(name));
