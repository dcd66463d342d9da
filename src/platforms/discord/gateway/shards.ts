import {
  SimpleShardingStrategy,
  type WebSocketManagerOptions,
  type WebSocketShardDestroyOptions,
} from 'discord.js';
import { within } from '#runtime/within';

type GatewayManager = ConstructorParameters<typeof SimpleShardingStrategy>[0];

/** How long the other side may take to answer that a socket closes. */
const CLOSING_MS = 1_000;

/**
 * discord.js's own way to run its shards, but for good when it ends. A shard that is told to end
 * while it waits to connect again finds no open socket to close and connects all the same half a
 * second later; and a socket whose other side does not answer keeps the end waiting for 30 s.
 */
export class EndingShards extends SimpleShardingStrategy {
  #ended = false;

  constructor(manager: GatewayManager) {
    super(manager);
    const options = manager.options as {
      -readonly [K in 'retrieveSessionInfo']: WebSocketManagerOptions[K];
    };
    const retrieve = options.retrieveSessionInfo;
    // The last thing a shard asks before it opens a socket. After the end it gets no answer.
    options.retrieveSessionInfo = (shard) =>
      this.#ended ? new Promise<never>(() => {}) : retrieve(shard);
  }

  /** From now on no shard comes up, whatever discord.js was about to do. */
  end(): void {
    this.#ended = true;
  }

  override async spawn(ids: number[]): Promise<void> {
    if (!this.#ended) await super.spawn(ids);
  }

  override async destroy(options?: Omit<WebSocketShardDestroyOptions, 'recover'>): Promise<void> {
    const shards = [...heldBy(this)];
    // It is also called before the first start, when there is nothing to end.
    this.#ended ||= shards.length > 0;
    // It never resolves for a shard that was waiting to be let in: ending that wait ends the shard a
    // second time, which takes away the listener that the first time waits for.
    const closed = super.destroy(options).catch(() => {});
    await within(closed, CLOSING_MS);
    for (const { connection } of shards) {
      if (connection === null) continue;
      // discord.js has stopped listening; an error that nobody listens to would end the process.
      connection.onerror = () => {};
      connection.terminate();
    }
  }
}

/** The sockets are private to discord.js's shards, and nothing else can be told to let go of them. */
interface Held {
  readonly connection: { onerror: unknown; terminate(): void } | null;
}

function heldBy(strategy: SimpleShardingStrategy): Iterable<Held> {
  return (strategy as unknown as { shards: ReadonlyMap<number, Held> }).shards.values();
}
