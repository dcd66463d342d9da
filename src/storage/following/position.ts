import { randomBytes } from 'node:crypto';
import type { Standings } from '#reputation/standings';

/** A batch's id and a random name, which differs from those of other histories. */
export interface BatchName {
  readonly id: number;
  readonly uid: string;
}

/** The position of an empty ledger. */
export const NO_BATCH: BatchName = { id: 0, uid: 'none' };

/** Marks revisions that no other replica can have. */
const replica = randomBytes(6).toString('hex');

/** What was loaded from a ledger, and how much of it that is. */
export interface LoadedLedger {
  readonly standings: Standings;
  readonly position: LedgerPosition;
}

/** How far a ledger was applied. */
export class LedgerPosition {
  /** The newest batch that anything applied may come from. */
  newest: BatchName = NO_BATCH;
  /** The newest batch that is applied completely. */
  complete: BatchName = NO_BATCH;
  /** Its commit time in seconds since 1970; 0 if there is none. */
  committedAt = 0;
  /** Newest ledger row applied. */
  seq = 0;
  /** Edition of rules whose activities are applied; 0 for none. */
  edition = 0;
  /** Newest applied change of what they granted. */
  change = 0;
  /** All wallets up to this number are applied. */
  wallets = 0;
  /** Newest batch that wrote an applied badge, or name. */
  badges = 0;
  names = 0;
  /** Set while newer names are applied only in part. */
  isBetween = false;
  /** The newest batch from which times of awards may come. */
  awardsAsOf = 0;
  #changes = 0;
  #named = { changes: -1, text: '' };

  /** Id of the newest batch that is applied completely. */
  get batch(): number {
    return this.complete.id;
  }

  /** Call it after every change. */
  changed(): void {
    this.#changes += 1;
  }

  /** Identifies what is applied: replicas with the same data have the same revision. */
  get revision(): string {
    if (this.#named.changes !== this.#changes) {
      this.#named = { changes: this.#changes, text: this.#text() };
    }
    return this.#named.text;
  }

  #text(): string {
    const { newest, batch, badges, names, seq, change } = this;
    const text = `${newest.uid}.${batch}.${badges}.${names}.${seq}.${change}`;
    // Replicas take in times of awards as of different batches; after those, they agree.
    const isOwn = this.isBetween || this.awardsAsOf > batch;
    return isOwn ? `${text}.${replica}-${this.#changes}` : text;
  }
}
