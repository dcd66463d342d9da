import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { StandInGuild } from './guild.ts';
import { snowflake } from './ids.ts';
import { APPLICATION, BOT } from './world.ts';

interface Payload {
  readonly op: number;
  readonly d: Readonly<Record<string, unknown>> | number | null;
}

interface Session {
  readonly id: string;
  /** Its number and how many there are. */
  readonly shard: readonly [number, number];
  readonly intents: number;
  seq: number;
  /** Its newest events, for RESUME. */
  readonly events: { readonly s: number; readonly t: string; readonly d: unknown }[];
  socket: WebSocket | undefined;
}

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-opcodes */
const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const;
/** https://discord.com/developers/docs/events/gateway#gateway-intents */
export const INTENTS = { guilds: 1, members: 2, moderation: 4 } as const;
/** Events that a session can resume from. */
const KEPT = 1_000;

/** The gateway: sessions of any shards, as many of each as sign in. */
export class StandInGateway {
  readonly #token: string;
  readonly #guilds: readonly StandInGuild[];
  readonly #report: (fault: string) => void;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();
  /** Counters for tests. */
  readonly counts = { sockets: 0, identify: 0, resume: 0, heartbeat: 0 };
  /** What the REST API recommends. */
  plan = { shards: 1, concurrency: 1 };
  /** A sign-in with fewer shards is rejected. */
  leastShards = 1;
  /** The most connected sessions that one shard ever had at once. */
  mostOfAShard = 0;
  /** The close code that rejects the next IDENTIFYs. */
  refuseWith: number | undefined;
  /** Whether the operator has enabled the Server Members Intent. */
  membersIntent = false;
  /** The intents of the last IDENTIFY. */
  intents: number | undefined;
  /** Rejects every socket. */
  shut = false;
  /** Heartbeats aren't acknowledged. */
  deaf = false;
  heartbeatInterval = 41_250;
  /** Its URL; known once the server listens. */
  url = '';

  constructor(
    http: Server,
    token: string,
    guilds: readonly StandInGuild[],
    report: (fault: string) => void,
  ) {
    this.#token = token;
    this.#guilds = guilds;
    this.#report = report;
    http.on('upgrade', (request, socket: Duplex, head) => {
      if (this.shut) {
        socket.destroy();
        return;
      }
      const query = new URL(request.url ?? '/', 'http://gateway').searchParams;
      if (query.get('v') !== '10' || query.get('encoding') !== 'json') {
        report(`the gateway was asked for ${query}`);
      }
      this.#server.handleUpgrade(request, socket, head, (opened) => this.#welcome(opened));
    });
  }

  /** Open sockets. */
  get open(): number {
    return this.#server.clients.size;
  }

  /** Shards with a connected session, as `0/2`; the oldest session first. */
  get shards(): string[] {
    const live = [...this.#sessions.values()].filter(({ socket }) => socket !== undefined);
    return live.map(({ shard }) => shard.join('/'));
  }

  /**
   * Sends an event to every session of the server's shard, and keeps it for disconnected ones.
   * @param intent required to receive it
   */
  dispatch(t: string, d: unknown, intent = 0): void {
    for (const session of this.#sessions.values()) {
      if (!isAbout(session, d)) continue;
      if ((session.intents & intent) === intent) this.#tell(session, t, d);
    }
  }

  /** Sends an event again, unchanged. */
  again(t: string, d: unknown): void {
    for (const session of this.#sessions.values()) {
      const { socket, seq } = session;
      if (isAbout(session, d)) socket?.send(JSON.stringify({ op: OP.dispatch, t, d, s: seq }));
    }
  }

  /** Ends all sockets: without a close frame (undefined), or with a close code. */
  drop(code?: number): void {
    for (const socket of this.#server.clients) {
      if (code === undefined) socket.terminate();
      else socket.close(code);
    }
  }

  askToReconnect(): void {
    this.#broadcast({ op: OP.reconnect, d: null });
  }

  invalidate(resumable: boolean): void {
    if (!resumable) this.forget();
    this.#broadcast({ op: OP.invalidSession, d: resumable });
  }

  /** No session can be resumed any more. */
  forget(): void {
    this.#sessions.clear();
  }

  close(): void {
    this.shut = true;
    this.drop();
    this.#server.close();
  }

  #broadcast(payload: unknown): void {
    for (const socket of this.#server.clients) socket.send(JSON.stringify(payload));
  }

  #welcome(socket: WebSocket): void {
    this.counts.sockets += 1;
    socket.on('error', () => {});
    socket.on('message', (data) => this.#take(socket, JSON.parse(String(data)) as Payload));
    socket.on('close', () => {
      for (const session of this.#sessions.values()) {
        if (session.socket === socket) session.socket = undefined;
      }
    });
    socket.send(
      JSON.stringify({
        op: OP.hello,
        d: { heartbeat_interval: this.heartbeatInterval },
        s: null,
        t: null,
      }),
    );
  }

  #take(socket: WebSocket, { op, d }: Payload): void {
    if (op === OP.heartbeat) {
      this.counts.heartbeat += 1;
      if (!this.deaf) socket.send(JSON.stringify({ op: OP.heartbeatAck }));
    } else if (op === OP.identify) this.#identify(socket, d as Record<string, unknown>);
    else if (op === OP.resume) this.#resume(socket, d as Record<string, unknown>);
    else this.#report(`the gateway got opcode ${op}`);
  }

  #identify(socket: WebSocket, d: Readonly<Record<string, unknown>>): void {
    this.counts.identify += 1;
    const refusal = d.token === this.#token ? this.refuseWith : 4004;
    if (refusal !== undefined) {
      socket.close(refusal);
      return;
    }
    const shard = d.shard as [number, number];
    const [number, of] = shard;
    if (!(number >= 0 && number < of)) {
      socket.close(4010);
      return;
    }
    if (of < this.leastShards) {
      socket.close(4011);
      return;
    }
    const intents = Number(d.intents);
    this.intents = intents;
    if ((intents & ~INTENTS.members) !== (INTENTS.guilds | INTENTS.moderation)) {
      this.#report(`intents ${d.intents}: only Guilds, Moderation and wanted Members are needed`);
    }
    if ((intents & INTENTS.members) !== 0 && !this.membersIntent) {
      socket.close(4014);
      return;
    }
    const session: Session = { id: snowflake(), shard, intents, seq: 0, events: [], socket };
    const isSame = (other: Session) => other.shard.join() === shard.join();
    for (const [id, other] of this.#sessions) {
      if (isSame(other) && other.socket === undefined) this.#sessions.delete(id);
    }
    this.#sessions.set(session.id, session);
    const same = [...this.#sessions.values()].filter(isSame).length;
    this.mostOfAShard = Math.max(this.mostOfAShard, same);
    const here = this.#guilds.filter(({ id }) => isAbout(session, { guild_id: id }));
    this.#tell(session, 'READY', {
      v: 10,
      user: BOT,
      guilds: here.map(({ id }) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: this.url,
      shard,
      application: { id: APPLICATION, flags: 0 },
    });
    for (const guild of here) this.#tell(session, 'GUILD_CREATE', guild.created());
  }

  #resume(socket: WebSocket, d: Readonly<Record<string, unknown>>): void {
    this.counts.resume += 1;
    const session = this.#sessions.get(String(d.session_id));
    if (d.token !== this.#token || session === undefined) {
      socket.send(JSON.stringify({ op: OP.invalidSession, d: false }));
      return;
    }
    session.socket = socket;
    for (const event of session.events.filter(({ s }) => s > Number(d.seq))) {
      socket.send(JSON.stringify({ op: OP.dispatch, ...event }));
    }
    this.#tell(session, 'RESUMED', {});
  }

  #tell(session: Session, t: string, d: unknown): void {
    session.seq += 1;
    const event = { s: session.seq, t, d };
    session.events.push(event);
    if (session.events.length > KEPT) session.events.shift();
    session.socket?.send(JSON.stringify({ op: OP.dispatch, ...event }));
  }
}

/**
 * Whether a session receives an event: that of the server's shard, or the first if there's no
 * server. https://discord.com/developers/docs/events/gateway#sharding
 */
function isAbout({ shard: [number, of] }: Session, event: unknown): boolean {
  const { guild_id: guild } = event as { readonly guild_id?: string };
  return number === (guild === undefined ? 0 : Number((BigInt(guild) >> 22n) % BigInt(of)));
}
