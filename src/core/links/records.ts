import type { AuditRow } from '#core/gating/audit';
import type { Grant } from '#core/gating/grant';
import type { Community } from '#core/gating/rule';
import type { RoleMetadata } from '#core/linked-roles/store';
import type { Account } from '#core/links/account';
import type { KeptProof } from '#core/links/proof';
import type { Wallet } from '#core/wallet';

/** Who may see which wallets an account has linked: nobody else, one's chosen communities, all. */
export const PRIVACIES = ['hidden', 'community', 'public'] as const;
export type Privacy = (typeof PRIVACIES)[number];

/** All times are seconds since 1970. */

/** A wallet that an account has proved to be its own. */
export interface Link {
  readonly account: Account;
  readonly wallet: Wallet;
  readonly proof: KeptProof;
  readonly linkedAt: number;
  /** When it was last found that the proof still holds, or tried. */
  readonly checkedAt: number;
  /** How many checks in a row said that it doesn't. */
  readonly strikes: number;
}

/** Another account has proved a linked wallet, and gets it when the wait is over. */
export interface Claim {
  readonly account: Account;
  readonly wallet: Wallet;
  readonly proof: KeptProof;
  readonly claimedAt: number;
  readonly dueAt: number;
}

/** For a while after it was unlinked, a wallet can be linked again by its last account alone. */
export interface Hold {
  readonly wallet: Wallet;
  /** Undefined when that account had everything erased: nobody then. */
  readonly keeper: Account | undefined;
  readonly until: number;
}

/** What an account has chosen. */
export interface PrivacyChoice {
  readonly privacy: Privacy;
  /** Ids of the communities that may see the wallets under `community`. */
  readonly communities: readonly string[];
}

const LINK_EVENTS = [
  'linked',
  /** Another account proved it: the wait began. */
  'claimed',
  /** The holder proved it again, so it stays. */
  'kept',
  /** The wait was over: it went to the other account. */
  'moved',
  /** The same, for the account that had it. */
  'lost',
  'unlinked',
  /** The proof no longer holds. */
  'lapsed',
  'privacy',
] as const;

/** A row of the audit, which is only ever added to, and erased with the account. */
export interface LinkEvent {
  readonly at: number;
  readonly account: Account;
  readonly event: (typeof LINK_EVENTS)[number];
  /** Undefined for what is about no wallet. */
  readonly wallet: Wallet | undefined;
}

/** What gating remembers of an account in one community. */
interface CommunityRecord {
  readonly community: Community;
  readonly isProtected: boolean;
  readonly grants: readonly Grant[];
}

/** That an account has asked to join a community and waits for an answer. */
interface JoinRequestRecord {
  readonly community: Community;
  readonly locale: string | undefined;
  readonly askedAt: number;
}

/** That a member has connected for Discord's Linked Roles, and what Discord was told. */
interface ConnectionRecord {
  readonly connectedAt: number;
  readonly shown: RoleMetadata | undefined;
}

/** All that is kept of an account beside its API keys. */
export interface AccountRecord {
  readonly links: readonly Link[];
  readonly claims: readonly Claim[];
  readonly holds: readonly Hold[];
  readonly choice: PrivacyChoice | undefined;
  readonly requests: readonly { readonly way: string; readonly createdAt: number }[];
  readonly events: readonly LinkEvent[];
  readonly communities: readonly CommunityRecord[];
  readonly joinRequests: readonly JoinRequestRecord[];
  /** What gating did about the account, oldest first; not what it did itself as a moderator. */
  readonly audit: readonly AuditRow[];
  /** Without its tokens; undefined where there is none. */
  readonly connection: ConnectionRecord | undefined;
}
