import { randomBytes } from 'node:crypto';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Logger } from '#base';
import { within } from '#base/waiting';
import {
  type AgreedSettings,
  Agreement,
  ClockCheck,
  Isolation,
  Replica,
  type WorkStore,
} from '#cluster';
import type { RedisState } from '#cluster/redis';
import { PROGRAM_VERSION } from '#storage';

/** How long to wait for the others on shutdown; after that they find out on their own. */
const LEAVE_MS = 500;

/** The other replicas, and what is shared with them. */
export interface Cluster {
  readonly replica: Replica;
  /** Undefined if not configured: each replica counts on its own. */
  readonly redis: RedisState | undefined;
  /** Whether this replica alone can't reach the database. Only Redis can tell. */
  readonly isCutOff: () => boolean;
  /** The settings in which this replica differs from the others. */
  readonly differs: () => readonly string[];
  /** What is wrong with this machine's clock. */
  readonly clockFault: () => string | undefined;
  /** Call when there's no work left that others could continue. */
  close(): Promise<void>;
}

/**
 * Registers this process with the other replicas and connects shared services. The process works
 * without either.
 * @throws UserError `wrong-configuration`
 */
export async function openCluster(
  redisUrl: string | undefined,
  { work, isShared }: { readonly work: WorkStore; readonly isShared: boolean },
  settings: AgreedSettings,
  registry: Registry,
  log: Logger,
): Promise<Cluster> {
  const redis = await openRedis(redisUrl, log);
  const id = randomBytes(8).toString('hex');
  const isolation = new Isolation(id, redis?.beats, log);
  const replica = new Replica({ id, store: work, log, isolation });
  const own = { replica: id, settings, version: PROGRAM_VERSION };
  const agreement = new Agreement(replica, own, log, () => redisServer(redis));
  // A store of this machine's own has its clock.
  const clock = isShared ? new ClockCheck(replica, log) : undefined;
  await replica.begin();
  addMetrics(registry, { replica, agreement, clock, redis });
  return {
    replica,
    redis,
    isCutOff: () => isolation.isCutOff,
    differs: () => agreement.differs,
    clockFault: () => clock?.fault,
    async close() {
      await within(replica.stop(), LEAVE_MS);
      redis?.close();
    },
  };
}

/** Replicas that each have a Redis of their own would let every client have as many limits as there are. */
function redisServer(redis: RedisState | undefined): AgreedSettings {
  const server = redis?.mark();
  return server === undefined ? {} : { REDIS_URL: server };
}

/** Loaded only if configured. */
async function openRedis(url: string | undefined, log: Logger): Promise<RedisState | undefined> {
  if (url === undefined) return undefined;
  const { openRedisState } = await import('#cluster/redis');
  return await openRedisState(url, log);
}

interface Shared {
  readonly replica: Replica;
  readonly agreement: Agreement;
  readonly clock: ClockCheck | undefined;
  readonly redis: RedisState | undefined;
}

function addMetrics(registry: Registry, { replica, agreement, clock, redis }: Shared): void {
  const registers = [registry];
  new Gauge({
    name: 'fathom_replicas',
    help: 'Live replicas that share the database, including this one.',
    registers,
    collect() {
      this.set(replica.live);
    },
  });
  new Gauge({
    name: 'fathom_settings_differ',
    help: '1 while settings here differ from those of the other replicas, 0 otherwise.',
    registers,
    collect() {
      this.set(Number(agreement.differs.length > 0));
    },
  });
  if (clock !== undefined) {
    new Gauge({
      name: 'fathom_clock_ahead_seconds',
      help: "Seconds by which this machine's clock is ahead of the database's.",
      registers,
      collect() {
        this.set(clock.ahead);
      },
    });
  }
  if (redis === undefined) return;
  new Gauge({
    name: 'fathom_redis_up',
    help: '1 if Redis is available, 0 if each replica counts on its own.',
    registers,
    collect() {
      this.set(Number(redis.status().ok));
    },
  });
  new Counter({
    name: 'fathom_redis_unanswered_total',
    help: 'Requests to Redis without a timely reply: the replica counted on its own.',
    registers,
    collect() {
      this.reset();
      this.inc(redis.unanswered());
    },
  });
}
