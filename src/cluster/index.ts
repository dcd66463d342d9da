/** What replicas tell each other: heartbeats, claims, budgets, an inbox. */

export { type AgreedSettings, Agreement, differing, settingsIn } from './agreement.ts';
export { Claims, type ReplicaRef } from './claims.ts';
export {
  failingIn,
  failsNotice,
  PARTIAL_NOTICE,
  type WorkHealth,
  type WorkHealths,
  worksNotice,
} from './health.ts';
export { beat, beatInto } from './heartbeat.ts';
export { type Delivery, type InboxStore, MOST_TRIES, REMEMBERED_SECONDS } from './inbox.ts';
export { Inbox } from './intake-inbox.ts';
export { Isolation } from './isolation.ts';
export { LeaderElection } from './leader-election.ts';
export { MemoryWork } from './memory-work.ts';
export { BusyError, type Lease, Replica } from './replica.ts';
export { ReplicaInbox } from './replica-inbox.ts';
export { runIfDue } from './run-if-due.ts';
export { SeenOnce } from './seen-once.ts';
export type { SharedAnswers } from './shared-answers.ts';
export type { SharedBudget } from './shared-budget.ts';
export { soleReplica } from './sole-replica.ts';
export { DEAD_AFTER_SECONDS, type DueWork, partOf, type WorkStore, wholeOf } from './store.ts';
