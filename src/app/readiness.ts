import { messageOf, type ProblemLog } from '#base';
import type { SourceStatus } from '#sources';
import type { DiskFault, Store } from '#storage';
import type { Upstream } from '#upstream';
import type { Chats } from './chats/chats.ts';
import type { Cluster } from './data/cluster.ts';
import type { ScoringRunner } from './scoring/engine.ts';
import { type Webhooks, webhooksCheck } from './webhooks.ts';

/** Beyond this lag, data is reported as stale and the process isn't ready. */
const MAX_LAG_SECONDS = 10;
/** How long replicas may take in what they missed once a database that all had lost is back. */
const CATCH_UP_MS = 10_000;

/** When the database was last seen away for all replicas. */
export class Outage {
  #seenAt = Number.NEGATIVE_INFINITY;

  seen(): void {
    this.#seenAt = performance.now();
  }

  get isJustOver(): boolean {
    return performance.now() - this.#seenAt < CATCH_UP_MS;
  }
}

/** What the check reads. */
export interface ReadinessParts {
  readonly store: Store;
  readonly upstream: Upstream | undefined;
  readonly chats: Chats | undefined;
  readonly redis: Cluster['redis'];
  readonly scoring: ScoringRunner | undefined;
  readonly webhooks: Pick<Webhooks, 'all'> | undefined;
  readonly isCutOff: Cluster['isCutOff'];
  readonly differs: Cluster['differs'];
  readonly clockFault: Cluster['clockFault'];
  /** Says once why the data can't be read. */
  readonly trouble: ProblemLog;
  readonly outage: Outage;
}

interface Check {
  readonly ok: boolean;
  readonly detail: string;
}

/**
 * A disconnected chat is reported, but /v1 and the other chat still work. So are failures that
 * affect all replicas (an upstream, a shared database, Redis): replicas keep serving what they
 * have, which they couldn't if none were ready; nor could they if all had to catch up at once. A
 * replica that alone has lost the database isn't ready: the others know more. A full disk is reported, as what is
 * read is right; not so for a disk that fails.
 */
export async function readiness(
  parts: ReadinessParts,
): Promise<{ ready: boolean; checks: Record<string, Check> }> {
  const { upstream, chats, redis, scoring, webhooks } = parts;
  const { rules: status, sources = [] } = scoring?.state() ?? {};
  const chainsRead = sourcesCheck(sources);
  const sent = webhooksCheck(webhooks?.all ?? []);
  const { isReady, ...data } = await checkData(parts);
  const diskFault = data.ok ? parts.store.figures().diskFault : undefined;
  const checks = {
    data,
    ...checkDisk(diskFault),
    ...(upstream && { upstream: upstream.status() }),
    ...checkSettings(parts.differs()),
    ...checkClock(parts.clockFault()),
    ...(redis && { redis: redis.status() }),
    ...(status && { rules: status }),
    ...(chainsRead && { sources: chainsRead }),
    ...(sent && { webhooks: sent }),
    ...chats?.statuses(),
  };
  return { ready: (isReady ?? data.ok) && diskFault?.isFailing !== true, checks };
}

/** Named, so that the operator sees what to correct; the values are nobody else's business. */
function checkSettings(differs: readonly string[]): { settings?: Check } {
  if (differs.length === 0) return {};
  const detail = `differ from those of the other replicas: ${differs.join(', ')}`;
  return { settings: { ok: false, detail } };
}

function checkDisk(fault: DiskFault | undefined): { disk?: Check } {
  if (fault === undefined) return {};
  const detail = `the database can be read and not written: its disk is ${fault.is}`;
  return { disk: { ok: false, detail } };
}

function checkClock(fault: string | undefined): { clock?: Check } {
  if (fault === undefined) return {};
  return { clock: { ok: false, detail: `${fault}; ${UNTIL_RIGHT}` } };
}

const UNTIL_RIGHT =
  "until it's right, nothing is taken away here, and webhooks and chats are left to replicas whose clock is right";

/** This is public, so details are only in the log. */
const AWAY = "can't read the data; see the log";
const CUT_OFF = "can't read the data here, but other replicas can; see the log";

/** @returns with `isReady` where requests are welcome although it isn't ok */
async function checkData(parts: ReadinessParts): Promise<Check & { readonly isReady?: boolean }> {
  const { store, isCutOff, trouble, outage } = parts;
  if (isCutOff()) return { ok: false, detail: CUT_OFF };
  try {
    await store.check();
    trouble.resolve('the data can be read again');
  } catch (error) {
    trouble.report(messageOf(error), 'error', { reason: messageOf(error) }, "can't read the data");
    if (store.isShared) outage.seen();
    return { ok: false, detail: AWAY, isReady: store.isShared };
  }
  const { lagSeconds, isStuck } = store.figures();
  if (isStuck) return { ok: false, detail: 'stale: reloading everything' };
  if (lagSeconds > MAX_LAG_SECONDS) {
    const detail = `stale: ${lagSeconds} s behind the store`;
    return { ok: false, detail, isReady: outage.isJustOver };
  }
  return { ok: true, detail: lagSeconds === 0 ? 'up to date' : `${lagSeconds} s behind the store` };
}

/**
 * The state of the sources for `/readyz`. That's public, so what is wrong with which node is only in the log.
 */
function sourcesCheck(
  all: readonly SourceStatus[],
): { readonly ok: boolean; readonly detail: string } | undefined {
  if (all.length === 0) return undefined;
  const ok = all.every(
    ({ state, refused }) => state !== 'stopped' && state !== 'waiting' && refused === 0,
  );
  const detail = all.map(describeSource).join('; ');
  return { ok, detail: ok ? detail : `${detail}; the log and "fathom sources" say why` };
}

function describeSource(source: SourceStatus): string {
  const { id, state, position, end, refused, unbegun } = source;
  const far = end === undefined ? '' : ` of ${end.height}`;
  // One that begins with block 0 is before it, at -1.
  const isBegun = position !== undefined && position.height >= 0;
  const read = isBegun ? ` at ${position.height}` : ', nothing read yet';
  const at = position === undefined ? '' : read + far;
  const without = refused === 0 ? '' : ', with rules about balances that give no points';
  const waiting = unbegun === 0 ? '' : ", with rules that can't begin yet";
  return `${id} ${state}${at}${without}${waiting}`;
}
