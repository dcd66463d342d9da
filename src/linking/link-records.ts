import type { Account } from '#command';
import type { Wallet } from '#wallet';
import type { StoredProof } from './proving/proof.ts';

/** Who may see an account's linked wallets: only itself, its chosen communities, or everyone. */
export const PRIVACIES = ['hidden', 'community', 'public'] as const;
export type Privacy = (typeof PRIVACIES)[number];

/** All times are seconds since 1970. */

/** A wallet an account has proved. */
export interface Link {
  readonly account: Account;
  readonly wallet: Wallet;
  readonly proof: StoredProof;
  readonly linkedAt: number;
  /** When the proof was last checked, or a check attempted. */
  readonly checkedAt: number;
  /** Consecutive negative checks. */
  readonly strikes: number;
}

/** Another account has proved a linked wallet, and gets it once the claim is due. */
export interface Claim {
  readonly account: Account;
  readonly wallet: Wallet;
  readonly proof: StoredProof;
  readonly claimedAt: number;
  readonly dueAt: number;
}

/** After unlinking, only the last account can link a wallet again for a while. */
export interface WalletReservation {
  readonly wallet: Wallet;
  /** Undefined if that account was erased: then nobody can. */
  readonly keeper: Account | undefined;
  readonly until: number;
  /** Left by a delegation: the owner's signature overrides it. */
  readonly isDelegated: boolean;
}

/** An account's choices. */
export interface PrivacyChoice {
  readonly privacy: Privacy;
  /** Communities that may see the wallets with `community`. */
  readonly communities: readonly string[];
  /** Communities never announce what they achieve. */
  readonly isUnannounced?: boolean;
}

const LINK_EVENTS = [
  'linked',
  /** Another account proved it: a claim started. */
  'claimed',
  /** The holder proved it again, so it stays. */
  'kept',
  /** The claim was due: the wallet moved to the other account. */
  'moved',
  /** The same, for the account that had it; or a delegated wallet's owner signed for another account. */
  'lost',
  'unlinked',
  /** The proof no longer holds. */
  'lapsed',
  'privacy',
] as const;

/** An audit record: append-only, erased with the account. */
export interface LinkEvent {
  readonly at: number;
  readonly account: Account;
  readonly event: (typeof LINK_EVENTS)[number];
  /** Undefined if it isn't about a wallet. */
  readonly wallet: Wallet | undefined;
}

/** What linking stores about an account. */
interface LinkingRecord {
  readonly links: readonly Link[];
  readonly claims: readonly Claim[];
  readonly holds: readonly WalletReservation[];
  readonly choice: PrivacyChoice | undefined;
  readonly requests: readonly { readonly way: string; readonly createdAt: number }[];
  readonly events: readonly LinkEvent[];
}

/**
 * Everything stored about an account, except its API keys. What other features store is plain data here, by
 * the names of their own records: `GatingRecord`, `ConnectionRecord`.
 */
export interface AccountRecord extends LinkingRecord {
  readonly communities: readonly object[];
  readonly joinRequests: readonly object[];
  readonly usernames: readonly object[];
  readonly audit: readonly object[];
  readonly connection: object | undefined;
}
