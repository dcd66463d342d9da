import type { MaybePromise } from '#base';
import { isFixableByMember } from '#gating/rules/refusals';
import type { Community } from '#gating/rules/rule';

/** What the platform refuses for one member alone. */
export interface MemberRefusal {
  readonly account: string;
  /** A role's id, or ENTRY. */
  readonly grant: string;
  /** A PlatformRefusal, or an UnknownRefusal. */
  readonly code: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** Refusals of members. Every method is one transaction. Throws RetryableError. */
export interface RefusalStore {
  refusalsOf(
    community: Community,
    accounts: readonly string[],
  ): MaybePromise<readonly MemberRefusal[]>;
  putRefusal(community: Community, refusal: MemberRefusal): MaybePromise<void>;
  /** @returns whether there were any */
  endRefusals(community: Community, account: string): MaybePromise<boolean>;
}

/** Seconds after which an unknown refusal is tried again by itself. */
const UNKNOWN_FOR = 86_400;

/** Whether a change is pointless for now. What the member can mend waits for them. */
export function isStillRefused({ code, at }: MemberRefusal, now: number): boolean {
  if (isFixableByMember(code)) return true;
  return Math.abs(now - at) < UNKNOWN_FOR;
}
