import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import {
  isOutage,
  type Logger,
  monotonicMs,
  outageLog,
  ProblemLog,
  type RateCounterMaker,
  SteppedClock,
} from '#base';
import { Upkeep } from '#base/process';
import { within } from '#base/waiting';
import { knownElapsed, type Replica, runIfDue, soleReplica } from '#cluster';
import type { Account } from '#command';
import { createLinkedRolesPages } from '#http/pages';
import {
  LinkedRoleSync,
  type OpenRoleConnections,
  type RoleSyncResult,
} from '#platforms/role-connections';
import type { ReputationSource } from '#reputation';
import type { Store } from '#storage';
import type { WalletParser } from '#wallet';

/** Interval of the check for due work. */
const TICK_MS = 60_000;
/** The work item, held by one replica at a time. */
const UPKEEP = 'linked-roles';
/** How long a connecting member waits for the push to Discord. */
const PATIENCE_MS = 8_000;
/** Timeout of a request to Discord. */
const TIMEOUT_MS = 8_000;

export interface LinkedRolesParts {
  /** The platform's implementation. */
  readonly open: OpenRoleConnections;
  /** Public URL of this instance, without a trailing slash. */
  readonly publicUrl: () => string;
  readonly store: Pick<Store, 'connections' | 'links'>;
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  /** The key under which a client's requests are counted. */
  readonly clientOf: (request: IncomingMessage) => string;
  readonly log: Logger;
  /** This process among those that share the store; undefined if it's the only one. */
  readonly replica?: Replica;
  /** Counters shared with them; if undefined, each process counts on its own. */
  readonly counters?: RateCounterMaker | undefined;
  /** For tests: replaces every clock; milliseconds since 1970. */
  readonly clock?: () => number;
  readonly timings?: Partial<Timings>;
}

/** Milliseconds. Tests use shorter ones. */
interface Timings {
  readonly tick: number;
  readonly patience: number;
  readonly timeout: number;
}

export interface LinkedRoles {
  /** Registers the pages for connecting. */
  register(app: FastifyInstance): void;
  /** An account's wallets, or who may see them, changed, or it was erased. */
  changed(account: Account): void;
  /** Registers the metadata with Discord, and updates connected members periodically. */
  begin(): void;
  /** Stops work in flight. */
  stop(): Promise<void>;
}

/** Assembles Discord's Linked Roles. */
export function createLinkedRoles(parts: LinkedRolesParts): LinkedRoles {
  const { open, publicUrl, store, clientOf, clock } = parts;
  const { tick = TICK_MS, patience = PATIENCE_MS, timeout = TIMEOUT_MS } = parts.timings ?? {};
  const dates = new SteppedClock(clock, clock);
  const now = () => dates.now();
  const monotonic = clock ?? monotonicMs;
  const log = outageLog(parts.log, monotonic);
  const replica = parts.replica ?? soleReplica(log);
  const leaving = new AbortController();
  const { signal } = leaving;
  const roles = open({
    publicUrl,
    store: store.connections,
    onConnected,
    log,
    now,
    monotonic,
    timeoutMs: timeout,
  });
  const { source, wallets } = parts;
  const sync = new LinkedRoleSync({
    store: store.connections,
    links: store.links,
    source,
    wallets,
    sync: roles.sync,
    replica,
    log,
    now,
    elapsed: knownElapsed(replica, dates.elapsed.bind(dates)),
    monotonic,
    signal,
  });
  const addPages = createLinkedRolesPages({
    service: roles.service,
    publicUrl,
    log,
    clientOf,
    counters: parts.counters,
    clock,
  });

  /**
   * If it takes longer, or fails, it continues in the background: the member is connected either
   * way.
   */
  async function onConnected(account: string): Promise<RoleSyncResult> {
    const result = within(sync.connected(account), patience, () => 'later' as const);
    return await result.catch(() => 'later' as const);
  }

  const trouble = new ProblemLog(log);
  async function round(): Promise<void> {
    const faults: unknown[] = [];
    let isMine = false;
    const attempt = async (work: Promise<unknown>) => {
      await work.catch((error: unknown) => faults.push(error));
    };
    await attempt(
      runIfDue(replica, UPKEEP, tick, async () => {
        isMine = true;
        await attempt(roles.register());
        await attempt(sync.round());
      }),
    );
    for (const fault of signal.aborted ? [] : faults) {
      const isWaiting = isOutage(fault);
      trouble.failed(
        fault,
        isWaiting
          ? 'Linked Roles: temporarily unavailable; retrying'
          : 'bug: Linked Roles failed; retrying in a minute',
      );
    }
    // We don't know how other replicas are doing.
    if (isMine && faults.length === 0) trouble.resolve();
  }
  const upkeep = new Upkeep({
    everyMs: tick,
    work: round,
    onError: (err) => log.error({ err }, 'bug: Linked Roles failed; retrying in a minute'),
  });

  return {
    register: addPages,
    changed: (account) => sync.changed(account),
    begin() {
      void upkeep.begin();
    },
    async stop() {
      leaving.abort();
      await roles.close();
      await upkeep.stop();
      await sync.idle();
    },
  };
}
