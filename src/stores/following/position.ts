import { randomBytes } from 'node:crypto';
import type { Standings } from '#core/standings/standings';

/** A batch, and the random name by which it is told from another one with its id. */
export interface BatchName {
  readonly id: number;
  readonly uid: string;
}

/** Of a ledger without any. */
export const NO_BATCH: BatchName = { id: 0, uid: 'none' };

/** In the revision of what no other replica has just so. */
const replica = randomBytes(6).toString('hex');

/** What was taken in of a ledger, and how much of it that is. */
export interface LoadedLedger {
  readonly standings: Standings;
  readonly position: LedgerPosition;
}

/** Up to where a ledger was taken in. */
export class LedgerPosition {
  /** The newest batch that anything which is in may come from. */
  newest: BatchName = NO_BATCH;
  /** Id of the newest batch that is in as a whole. */
  batch = 0;
  /** Seconds since 1970 when that was committed; 0 when there is none. */
  committedAt = 0;
  /** Newest ledger row that is in. */
  seq = 0;
  /** Edition of rules whose activities are in; 0 for none. */
  edition = 0;
  /** Newest change of what they gave that is in. */
  change = 0;
  /** Highest wallet number up to which all are in. */
  wallets = 0;
  /** Newest batch that wrote a badge which is in; a name. */
  badges = 0;
  names = 0;
  /** Set while some of the newer names are in and others are not. */
  isBetween = false;
  #changes = 0;
  #named = { changes: -1, text: '' };

  /** To be called after every change. */
  changed(): void {
    this.#changes += 1;
  }

  /** Names what is in: where two replicas have the same, by the same text. */
  get revision(): string {
    if (this.#named.changes !== this.#changes) {
      this.#named = { changes: this.#changes, text: this.#text() };
    }
    return this.#named.text;
  }

  #text(): string {
    const { newest, batch, badges, names, seq, change } = this;
    const text = `${newest.uid}.${batch}.${badges}.${names}.${seq}.${change}`;
    return this.isBetween ? `${text}.${replica}-${this.#changes}` : text;
  }
}
