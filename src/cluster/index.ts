/** What replicas tell each other: heartbeats, claims, budgets, an inbox. */

export {
  Claims,
  claimsUnlessStandby,
  LeaderElection,
  processDueWork,
  type ReplicaRef,
  runIfDue,
} from './claims.ts';
export { ClockCheck, clockFault, knownElapsed } from './clock-check.ts';
export {
  type Delivery,
  Inbox,
  type InboxStore,
  MOST_TRIES,
  REMEMBERED_SECONDS,
  ReplicaInbox,
  SeenOnce,
} from './inbox.ts';
export { Isolation } from './isolation.ts';
export { MemoryWork, soleReplica } from './memory-work.ts';
export {
  type AgreedSettings,
  Agreement,
  differing,
  failingIn,
  failsNotice,
  PARTIAL_NOTICE,
  settingsIn,
  type WorkHealth,
  type WorkHealths,
  worksNotice,
} from './notices.ts';
export { type Lease, Replica } from './replica.ts';
export type { SharedAnswers, SharedBudget } from './sharing.ts';
export {
  beat,
  countHeartbeatsIn,
  DEAD_AFTER_SECONDS,
  type DueWork,
  LONGEST_WAIT_SECONDS,
  partId,
  replicaIdOf,
  type WorkStore,
} from './store.ts';
