import { type Logger, monotonicMs } from '#base';
import { Replica } from './replica.ts';
import {
  DEAD_AFTER_SECONDS,
  type DueWork,
  type HeartbeatReply,
  isPartId,
  replicaIdOf,
  type WorkStore,
} from './store.ts';

interface Piece extends DueWork {
  readonly dueAt: number;
  readonly replica: string | undefined;
}

interface Life {
  readonly steadySince: number;
  readonly seenAt: number;
  readonly notices: readonly string[];
}

/** Divides work within one process. Nothing survives it. */
export class MemoryWork implements WorkStore {
  readonly #clock: () => number;
  readonly #deadAfter: number;
  readonly #lives = new Map<string, Life>();
  readonly #claims = new Map<string, string>();
  /** By kind, then by name. */
  readonly #work = new Map<string, Map<string, Piece>>();

  /** @param clock monotonic milliseconds: nothing here outlives the process */
  constructor(clock: () => number = monotonicMs, deadAfterSeconds = DEAD_AFTER_SECONDS) {
    this.#clock = clock;
    this.#deadAfter = deadAfterSeconds * 1000;
  }

  beat(replica: string, notices: readonly string[] = []): HeartbeatReply {
    const now = this.#clock();
    const before = this.#lives.get(replica);
    const pause = now - (before?.seenAt ?? Number.NEGATIVE_INFINITY);
    const isSteady = Math.abs(pause) <= this.#deadAfter / 2;
    const steadySince = isSteady && before !== undefined ? before.steadySince : now;
    this.#lives.set(replica, { steadySince, seenAt: now, notices });
    const dead = [...this.#lives].flatMap(([id, { seenAt }]) =>
      now - seenAt > this.#deadAfter ? [id] : [],
    );
    if (now - steadySince >= this.#deadAfter) for (const id of dead) this.leave(id);
    const claims = [...this.#claims].flatMap(([claim, id]) => (id === replica ? [claim] : []));
    const work = [...this.#work.values()].flatMap((pieces) =>
      [...pieces.values()].flatMap((piece) => (piece.replica === replica ? [dueOf(piece)] : [])),
    );
    const peers = [...this.#lives].filter(
      ([id, { seenAt }]) =>
        id !== replicaIdOf(replica) && !isPartId(id) && now - seenAt <= this.#deadAfter,
    );
    return {
      ...{ at: now / 1000, claims, work },
      peers: peers.map(([id]) => id),
      notices: [...new Set(peers.flatMap(([, life]) => life.notices))],
    };
  }

  leave(replica: string): void {
    this.#lives.delete(replica);
    for (const [claim, id] of this.#claims) if (id === replica) this.#claims.delete(claim);
    for (const pieces of this.#work.values()) {
      for (const piece of pieces.values()) {
        if (piece.replica === replica) pieces.set(piece.name, { ...piece, replica: undefined });
      }
    }
  }

  hold(claim: string, replica: string): boolean {
    const holder = this.#claims.get(claim) ?? replica;
    if (!this.#lives.has(replica) || holder !== replica) return false;
    this.#claims.set(claim, replica);
    return true;
  }

  release(claim: string, replica: string): void {
    if (this.#claims.get(claim) === replica) this.#claims.delete(claim);
  }

  plan(kind: string, names: readonly string[]): void {
    const pieces = this.#work.get(kind) ?? new Map<string, Piece>();
    this.#work.set(kind, pieces);
    const named = new Set(names);
    for (const { name, replica } of pieces.values()) {
      if (replica === undefined && !named.has(name)) pieces.delete(name);
    }
    const dueAt = this.#clock();
    for (const name of named) {
      if (!pieces.has(name)) pieces.set(name, { kind, name, state: '', dueAt, replica: undefined });
    }
  }

  takeDue(kind: string, replica: string): DueWork | undefined {
    const pieces = this.#work.get(kind);
    if (pieces === undefined || !this.#lives.has(replica)) return undefined;
    const now = this.#clock();
    const [due] = [...pieces.values()]
      .filter((piece) => piece.replica === undefined && piece.dueAt <= now)
      .sort((a, b) => a.dueAt - b.dueAt);
    if (due === undefined) return undefined;
    pieces.set(due.name, { ...due, replica });
    return dueOf(due);
  }

  finish(
    { kind, name }: Pick<DueWork, 'kind' | 'name'>,
    replica: string,
    dueInSeconds: number,
    state: string,
  ): void {
    const pieces = this.#work.get(kind);
    if (pieces?.get(name)?.replica !== replica) return;
    const dueAt = this.#clock() + dueInSeconds * 1000;
    pieces.set(name, { kind, name, state, dueAt, replica: undefined });
  }
}

function dueOf({ kind, name, state }: Piece): DueWork {
  return { kind, name, state };
}

/**
 * A replica that shares its work with no other.
 * @param clock monotonic milliseconds
 */
export function soleReplica(log: Logger, clock: () => number = monotonicMs): Replica {
  return new Replica({ id: 'sole', store: new MemoryWork(clock), log });
}
