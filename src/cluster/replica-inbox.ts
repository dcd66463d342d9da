import type { Delivery, InboxStore } from './inbox.ts';
import type { Replica } from './replica.ts';

/** Deliveries whose time we remember; for others we ask the store. */
const MOST_KNOWN = 10_000;

/**
 * The inbox as one replica sees it. While the replica has been responsive since it received a
 * delivery, no other can have taken it over, so we only ask the store after a pause.
 */
export class ReplicaInbox implements InboxStore {
  readonly #store: InboxStore;
  readonly #replica: Pick<Replica, 'isSteadySince'>;
  /** When a delivery was last known to be ours, by performance.now(). */
  readonly #heldAt = new Map<string, number>();

  constructor(store: InboxStore, replica: Pick<Replica, 'isSteadySince'>) {
    this.#store = store;
    this.#replica = replica;
  }

  async receive(delivery: Delivery, replica: string): Promise<boolean> {
    const askedAt = performance.now();
    const isNew = await this.#store.receive(delivery, replica);
    if (isNew) this.#note(delivery, askedAt);
    return isNew;
  }

  async isHeld(platform: Delivery['platform'], id: string, replica: string): Promise<boolean> {
    const heldAt = this.#heldAt.get(keyOf({ platform, id }));
    // Also for its side effect: it sends a heartbeat first, after which nobody takes anything over.
    const isSteady = await this.#replica.isSteadySince(heldAt ?? Number.NEGATIVE_INFINITY);
    if (isSteady) return true;
    const askedAt = performance.now();
    const isHeld = await this.#store.isHeld(platform, id, replica);
    if (isHeld) this.#note({ platform, id }, askedAt);
    else this.#heldAt.delete(keyOf({ platform, id }));
    return isHeld;
  }

  async settle(platform: Delivery['platform'], id: string): Promise<void> {
    await this.#store.settle(platform, id);
    this.#heldAt.delete(keyOf({ platform, id }));
  }

  async takeOver(
    platform: Delivery['platform'],
    replica: string,
    limit: number,
  ): Promise<readonly Delivery[]> {
    const askedAt = performance.now();
    const taken = await this.#store.takeOver(platform, replica, limit);
    for (const each of taken) this.#note(each, askedAt);
    return taken;
  }

  #note(delivery: Pick<Delivery, 'platform' | 'id'>, askedAt: number): void {
    const key = keyOf(delivery);
    this.#heldAt.delete(key);
    this.#heldAt.set(key, askedAt);
    if (this.#heldAt.size <= MOST_KNOWN) return;
    const [oldest] = this.#heldAt.keys();
    if (oldest !== undefined) this.#heldAt.delete(oldest);
  }
}

function keyOf({ platform, id }: Pick<Delivery, 'platform' | 'id'>): string {
  return `${platform} ${id}`;
}
