import type { AuditRow } from '#core/gating/audit';
import type { Grant } from '#core/gating/grant';
import type { MemberBar } from '#core/gating/member-bars';
import type { Community } from '#core/gating/rule';
import type { RoleMetadata } from '#core/linked-roles/store';
import type { Account } from '#core/links/account';
import type { StoredProof } from '#core/links/proof';
import type { Wallet } from '#core/wallet';

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
}

/** An account's choices. */
export interface PrivacyChoice {
  readonly privacy: Privacy;
  /** Communities that may see the wallets with `community`. */
  readonly communities: readonly string[];
}

const LINK_EVENTS = [
  'linked',
  /** Another account proved it: a claim started. */
  'claimed',
  /** The holder proved it again, so it stays. */
  'kept',
  /** The claim was due: the wallet moved to the other account. */
  'moved',
  /** The same, for the account that had it. */
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

/** What gating stores about an account in one community. */
interface CommunityRecord {
  readonly community: Community;
  readonly isProtected: boolean;
  readonly grants: readonly Grant[];
  /** What moderators have barred it from; kept when everything else is erased. */
  readonly bars: readonly MemberBar[];
}

/** A pending request to join a community. */
interface JoinRequestRecord {
  readonly community: Community;
  readonly locale: string | undefined;
  readonly askedAt: number;
}

/** A connection for Discord's Linked Roles, and what Discord was told. */
interface ConnectionRecord {
  readonly connectedAt: number;
  readonly shown: RoleMetadata | undefined;
}

/** Everything stored about an account, except its API keys. */
export interface AccountRecord {
  readonly links: readonly Link[];
  readonly claims: readonly Claim[];
  readonly holds: readonly WalletReservation[];
  readonly choice: PrivacyChoice | undefined;
  readonly requests: readonly { readonly way: string; readonly createdAt: number }[];
  readonly events: readonly LinkEvent[];
  readonly communities: readonly CommunityRecord[];
  readonly joinRequests: readonly JoinRequestRecord[];
  /** Names under which communities' bots have met the account. */
  readonly usernames: readonly {
    readonly community: string;
    readonly username: string;
    readonly seenAt: number;
  }[];
  /** Gating's actions on the account, oldest first; not its own actions as a moderator. */
  readonly audit: readonly AuditRow[];
  /** Without its tokens; undefined if there is none. */
  readonly connection: ConnectionRecord | undefined;
}
