import {
  DefaultWebSocketManagerOptions,
  type IIdentifyThrottler,
  type SessionInfo,
  WebSocketShard,
  WebSocketShardEvents,
} from '@discordjs/ws';
import type { APIGatewayBotInfo, GatewayDispatchPayload, GatewayIntentBits } from 'discord.js';
import { within } from '#runtime/within';
import type { ShardSet } from './plan.ts';

/** How long the other side may take to answer that a socket closes. */
const CLOSING_MS = 1_000;

export interface GatewayShardsOptions {
  readonly token: string;
  readonly gateway: APIGatewayBotInfo;
  /** The shards to connect, and no others. */
  readonly set: ShardSet;
  /** A bit field. */
  readonly intents: GatewayIntentBits;
  readonly throttler: IIdentifyThrottler;
  /** Must not throw. */
  readonly onDispatch: (payload: GatewayDispatchPayload) => void;
  /** A shard has signed in, or resumed its session. */
  readonly onReady: (shard: number) => void;
  readonly onClosed: (shard: number, code: number) => void;
  /** After the first `onReady` of a shard it goes on by itself. */
  readonly onError: (error: unknown) => void;
}

/**
 * The sockets of some shards. discord.js's shards reconnect and resume by themselves; this ends them
 * for good. Otherwise one that is told to end while it waits to reconnect finds no open socket to
 * close and connects half a second later, and one whose other side doesn't answer keeps the end
 * waiting for 30 seconds.
 */
export class GatewayShards {
  readonly #shards: readonly WebSocketShard[];
  readonly #sessions = new Map<number, SessionInfo>();
  #ended = false;

  constructor(options: GatewayShardsOptions) {
    this.#shards = options.set.ids.map((id) => this.#open(id, options));
  }

  /** @throws what kept a shard from signing in the first time */
  async connect(): Promise<void> {
    await Promise.all(this.#shards.map((shard) => shard.connect()));
  }

  /** Signs off within about a second. No shard connects again. */
  async end(): Promise<void> {
    this.#ended = true;
    // It never resolves for a shard that is waiting for its turn to identify: that wait, when it is
    // cut short, ends the shard a second time, which removes the listener that the first one awaits.
    const closed = Promise.all(this.#shards.map((shard) => shard.destroy())).catch(() => {});
    await within(closed, CLOSING_MS);
    for (const shard of this.#shards) letGo(shard);
  }

  #open(id: number, options: GatewayShardsOptions): WebSocketShard {
    const { token, gateway, set, intents, throttler } = options;
    const { onDispatch, onReady, onClosed, onError } = options;
    const shard = new WebSocketShard(
      {
        options: {
          ...DefaultWebSocketManagerOptions,
          token,
          intents,
          gatewayInformation: gateway,
          shardCount: set.plan.shards,
        },
        // The last thing a shard asks for before it opens a socket. After the end it gets no answer.
        retrieveSessionInfo: (shardId) =>
          this.#ended ? new Promise<never>(() => {}) : (this.#sessions.get(shardId) ?? null),
        updateSessionInfo: (shardId, session) => {
          if (session === null) this.#sessions.delete(shardId);
          else this.#sessions.set(shardId, session);
        },
        waitForIdentify: (shardId, signal) => throttler.waitForIdentify(shardId, signal),
      },
      id,
    );
    shard.on(WebSocketShardEvents.Dispatch, ({ data }) => onDispatch(data));
    shard.on(WebSocketShardEvents.Ready, () => onReady(id));
    shard.on(WebSocketShardEvents.Resumed, () => onReady(id));
    shard.on(WebSocketShardEvents.Closed, ({ code }) => onClosed(id, code));
    shard.on(WebSocketShardEvents.Error, ({ error }) => onError(error));
    return shard;
  }
}

/** What `letGo` needs of a socket of `ws`. */
interface Socket {
  onerror: unknown;
  terminate(): void;
}

/**
 * Closes a shard's socket at once. @discordjs/ws has no public way to: `destroy` stops listening to
 * a socket that is still connecting, whose error would then end the process, and leaves one that
 * doesn't close to `ws` for 30 seconds. So this reads the private `connection`; the type checker and
 * test/platforms/discord/gateway-shards.test.ts fail when @discordjs/ws renames it.
 */
function letGo(shard: WebSocketShard): void {
  // biome-ignore lint/complexity/useLiteralKeys: only so does TypeScript let a private field be read
  const socket: Socket | null = shard['connection'];
  if (socket === null) return;
  socket.onerror = () => {};
  socket.terminate();
}
