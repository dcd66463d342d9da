import type { Delivery, InboxStore } from '#cluster/inbox';

interface Letter {
  readonly delivery: Delivery;
  replica: string;
  isSettled: boolean;
}

/** An in-memory inbox, shared by a test's replicas, with everything that can happen to one. */
export class TestInbox implements InboxStore {
  readonly #letters = new Map<string, Letter>();
  readonly #dead = new Set<string>();
  /** Nothing is answered until it resolves. */
  held: Promise<void> | undefined;
  /** How often a replica asked who has a delivery. */
  asked = 0;
  /** Thrown instead of an answer. */
  trouble: Error | undefined;

  /** Deliveries that aren't answered yet. */
  get unsettled(): number {
    return [...this.#letters.values()].filter((each) => !each.isSettled).length;
  }

  /** What a replica held is free from now on. */
  bury(replica: string): void {
    this.#dead.add(replica);
  }

  async receive(delivery: Delivery, replica: string): Promise<boolean> {
    await this.#ready();
    if (this.#letters.has(delivery.id)) return false;
    this.#letters.set(delivery.id, { delivery, replica, isSettled: false });
    return true;
  }

  async isHeld(_: Delivery['platform'], id: string, replica: string): Promise<boolean> {
    this.asked += 1;
    await this.#ready();
    const letter = this.#letters.get(id);
    if (letter === undefined || letter.isSettled) return false;
    return letter.replica === replica && !this.#dead.has(replica);
  }

  async settle(_: Delivery['platform'], id: string): Promise<void> {
    await this.#ready();
    const letter = this.#letters.get(id);
    if (letter !== undefined) letter.isSettled = true;
  }

  async takeOver(_: Delivery['platform'], replica: string, limit: number): Promise<Delivery[]> {
    await this.#ready();
    const left = [...this.#letters.values()].filter(
      (each) => !each.isSettled && this.#dead.has(each.replica),
    );
    return left.slice(0, limit).map((each) => {
      each.replica = replica;
      return each.delivery;
    });
  }

  async waiting(_: Delivery['platform'], parts: readonly [string, string]): Promise<string[]> {
    await this.#ready();
    const waiting = [...this.#letters.values()].filter((each) => !each.isSettled);
    const bodies = waiting.map(({ delivery }) => delivery.body);
    return bodies.filter((body) => parts.every((part) => body.includes(part)));
  }

  async #ready(): Promise<void> {
    await this.held;
    if (this.trouble !== undefined) throw this.trouble;
  }
}
