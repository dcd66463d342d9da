import {
  DefaultWebSocketManagerOptions,
  type IIdentifyThrottler,
  type SessionInfo,
  WebSocketShard,
  WebSocketShardEvents,
} from '@discordjs/ws';
import type { APIGatewayBotInfo, GatewayDispatchPayload, GatewayIntentBits } from 'discord.js';
import { within } from '#base/waiting';
import type { ShardSet } from './plan.ts';

/** How long the other side may take to confirm closing a socket. */
const CLOSING_MS = 1_000;

export interface GatewayShardsOptions {
  readonly token: string;
  readonly gateway: APIGatewayBotInfo;
  /** The URL to connect to in place of one that Discord gives; what it returned leads to itself. */
  readonly wayTo: (gateway: string) => string;
  /** The shards to connect, and no others. */
  readonly set: ShardSet;
  /** A bit field. */
  readonly intents: GatewayIntentBits;
  readonly throttler: IIdentifyThrottler;
  /** Must not throw. */
  readonly onDispatch: (payload: GatewayDispatchPayload) => void;
  /** A shard signed in or resumed its session. */
  readonly onReady: (shard: number) => void;
  readonly onClosed: (shard: number, code: number) => void;
  /** After its first `onReady`, a shard reconnects on its own. */
  readonly onError: (error: unknown) => void;
}

/**
 * The sockets of some shards. discord.js's shards reconnect and resume on their own; this class
 * ends them for good. Otherwise a shard told to end while it waits to reconnect finds no open
 * socket to close and connects half a second later, and one whose other side doesn't respond delays
 * the end by 30 seconds.
 */
export class GatewayShards {
  readonly #shards: readonly WebSocketShard[];
  readonly #sessions = new Map<number, SessionInfo>();
  #ended = false;

  constructor(options: GatewayShardsOptions) {
    this.#shards = options.set.ids.map((id) => this.#open(id, options));
  }

  /** @throws why a shard couldn't sign in the first time */
  async connect(): Promise<void> {
    await Promise.all(this.#shards.map((shard) => shard.connect()));
  }

  /** Signs off within about a second. No shard connects again. */
  async end(): Promise<void> {
    this.#ended = true;
    // It never resolves for a shard waiting to identify: aborting that wait ends the shard a second
    // time, which removes the listener that the first one awaits.
    const closed = Promise.all(this.#shards.map((shard) => shard.destroy())).catch(() => {});
    await within(closed, CLOSING_MS);
    for (const shard of this.#shards) letGo(shard);
  }

  #open(id: number, options: GatewayShardsOptions): WebSocketShard {
    const { token, gateway, wayTo, set, intents, throttler } = options;
    const { onDispatch, onReady, onClosed, onError } = options;
    const shard = new WebSocketShard(
      {
        options: {
          ...DefaultWebSocketManagerOptions,
          token,
          intents,
          gatewayInformation: { ...gateway, url: wayTo(gateway.url) },
          shardCount: set.plan.shards,
        },
        // A shard's last question before it opens a socket. After the end it gets no answer.
        retrieveSessionInfo: (shardId) =>
          this.#ended ? new Promise<never>(() => {}) : (this.#sessions.get(shardId) ?? null),
        updateSessionInfo: (shardId, session) => {
          if (session === null) this.#sessions.delete(shardId);
          else {
            const resumeURL = wayTo(session.resumeURL);
            this.#sessions.set(shardId, { ...session, resumeURL });
          }
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

/** What `letGo` needs from a socket of `ws`. */
interface Socket {
  onerror: unknown;
  terminate(): void;
}

/**
 * Closes a shard's socket immediately. @discordjs/ws has no public way to: `destroy` stops
 * listening to a socket that is still connecting, whose error would then crash the process, and
 * leaves a socket that doesn't close to `ws` for 30 seconds. So this reads the private
 * `connection`; the type checker and test/platforms/discord/gateway-shards.test.ts fail if
 * @discordjs/ws renames it.
 */
function letGo(shard: WebSocketShard): void {
  // biome-ignore lint/complexity/useLiteralKeys: only so does TypeScript let a private field be read
  const socket: Socket | null = shard['connection'];
  if (socket === null) return;
  socket.onerror = () => {};
  socket.terminate();
}
