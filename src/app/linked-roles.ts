import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { monotonicMs, SteppedClock } from '#core/clock';
import { RetryableError } from '#core/errors';
import { RoleKeeper } from '#core/linked-roles/keeper';
import type { RoleSyncResult } from '#core/linked-roles/page-service';
import type { Account } from '#core/links/account';
import type { Logger } from '#core/logger';
import type { ReputationSource, Store } from '#core/ports';
import type { RateCounterMaker } from '#core/rate-window';
import type { WalletParser } from '#core/wallet';
import type { Replica } from '#core/work/replica';
import { runIfDue } from '#core/work/run-if-due';
import { soleReplica } from '#core/work/sole-replica';
import type { OpenRoleConnections } from '#runtime/role-connections';
import { SayOnce } from '#runtime/say-once';
import { Upkeep } from '#runtime/upkeep';
import { within } from '#runtime/within';
import { createLinkedRolesPages } from '#web/linked-roles/pages';

/** How often it is looked whether something is due. */
const TICK_MS = 60_000;
/** The one piece of work that this is, for one replica at a time. */
const UPKEEP = 'linked-roles';
/** How long a member who connects waits for Discord to be told. */
const PATIENCE_MS = 8_000;
/** How long Discord may take to answer a request. */
const TIMEOUT_MS = 8_000;

export interface LinkedRolesParts {
  /** The platform's side. */
  readonly open: OpenRoleConnections;
  /** Where others reach this instance, with no slash at the end. */
  readonly publicUrl: () => string;
  readonly store: Pick<Store, 'connections' | 'links'>;
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  /** What stands for the client of a request in the count of its requests. */
  readonly clientOf: (request: IncomingMessage) => string;
  readonly log: Logger;
  /** This process among others that share the store; without it there are no others. */
  readonly replica?: Replica;
  /** Shared with them; each process counts for itself when undefined. */
  readonly counters?: RateCounterMaker | undefined;
  /** For tests: milliseconds since 1970, in place of every clock. */
  readonly clock?: () => number;
  readonly timings?: Partial<Timings>;
}

/** Milliseconds. Tests give shorter ones. */
interface Timings {
  readonly tick: number;
  readonly patience: number;
  readonly timeout: number;
}

export interface LinkedRoles {
  /** Adds the pages on which members connect. */
  register(app: FastifyInstance): void;
  /** Wallets of an account, or who may see them, have changed. */
  changed(account: Account): void;
  /**
   * To be called before an account is erased: Discord is told in the background.
   * @throws RetryableError when the store can't be had
   */
  leaving(account: Account): Promise<void>;
  /** Tells Discord what servers may ask for, and looks after all who connected from time to time. */
  begin(): void;
  /** Ends what is under way. */
  stop(): Promise<void>;
}

/** Puts the parts of Discord's Linked Roles together. */
export function createLinkedRoles(parts: LinkedRolesParts): LinkedRoles {
  const { open, publicUrl, store, log, clientOf, clock } = parts;
  const { tick = TICK_MS, patience = PATIENCE_MS, timeout = TIMEOUT_MS } = parts.timings ?? {};
  const dates = new SteppedClock(clock, clock);
  const now = () => dates.now();
  const monotonic = clock ?? monotonicMs;
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
  const keeper = new RoleKeeper({
    store: store.connections,
    links: store.links,
    source,
    wallets,
    sync: roles.teller,
    replica,
    log,
    now,
    elapsed: dates.elapsed.bind(dates),
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

  /** What takes longer, or fails, follows by itself: the member is connected all the same. */
  async function onConnected(account: string): Promise<RoleSyncResult> {
    const result = within(keeper.connected(account), patience, () => 'later' as const);
    return await result.catch(() => 'later' as const);
  }

  const trouble = new SayOnce(log);
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
        await attempt(keeper.round());
      }),
    );
    for (const fault of signal.aborted ? [] : faults) {
      const isWaiting = fault instanceof RetryableError;
      trouble.failed(
        fault,
        isWaiting
          ? 'Linked Roles: temporarily unavailable; retrying'
          : 'bug: Linked Roles failed; retrying in a minute',
      );
    }
    // Nothing is known of what another replica does.
    if (isMine && faults.length === 0) trouble.over();
  }
  const upkeep = new Upkeep({
    everyMs: tick,
    work: round,
    onError: (err) => log.error({ err }, 'bug: Linked Roles failed; retrying in a minute'),
  });

  return {
    register: addPages,
    changed: (account) => keeper.changed(account),
    leaving: (account) => keeper.leaving(account),
    begin() {
      void upkeep.begin();
    },
    async stop() {
      leaving.abort();
      await roles.close();
      await upkeep.stop();
      await keeper.idle();
    },
  };
}
