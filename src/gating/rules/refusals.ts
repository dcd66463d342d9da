/**
 * Why platforms refuse a change for good: whose turn it is to mend that, and whether it concerns everyone
 * whom a rule is about. The catalogues say how. Each platform has a table from its own codes to these.
 */
const REFUSALS = {
  /** What the rule grants was deleted. */
  'no-role': { mends: 'moderator', concerns: 'rule' },
  /** The bot isn't in the community, or the community is gone. */
  'no-community': { mends: 'moderator', concerns: 'rule' },
  /** The bot lacks the permission, or the role is above its own. */
  'not-allowed': { mends: 'moderator', concerns: 'rule' },
  /** An integration's role, or everyone's. */
  'invalid-role': { mends: 'moderator', concerns: 'rule' },
  /** The community demands two-factor authentication, which the bot's owner hasn't enabled. */
  'needs-2fa': { mends: 'operator', concerns: 'rule' },
  /** The community has as many members as the platform allows. */
  'community-full': { mends: 'moderator', concerns: 'rule' },
  /** The member is in as many communities as the platform allows. */
  'too-many-communities': { mends: 'member', concerns: 'member' },
} as const satisfies Record<
  string,
  { readonly mends: 'member' | 'moderator' | 'operator'; readonly concerns: 'rule' | 'member' }
>;

export type PlatformRefusal = keyof typeof REFUSALS;

/** A refusal that pauses the rule, as it would meet everyone. */
export type RuleRefusal = {
  [Code in PlatformRefusal]: (typeof REFUSALS)[Code]['concerns'] extends 'rule' ? Code : never;
}[PlatformRefusal];

/** A refusal that only the member can mend. */
export type MemberFixableRefusal = {
  [Code in PlatformRefusal]: (typeof REFUSALS)[Code]['mends'] extends 'member' ? Code : never;
}[PlatformRefusal];

/** A refusal that we don't know, with the platform's own code: it concerns this member, until we know more. */
export type UnknownRefusal = `refused ${string}`;

const PREFIX = 'refused ';
const CODE_LENGTH = 64;

/** @param code the platform's own, never the text that a request contained */
export function unknownRefusal(code: string | number): UnknownRefusal {
  return `${PREFIX}${String(code)
    .replace(/[^\w.:-]+/g, '_')
    .slice(0, CODE_LENGTH)}`;
}

export function isUnknownRefusal(detail: string): detail is UnknownRefusal {
  return detail.startsWith(PREFIX);
}

/** The platform's own code of an unknown refusal. */
export function unknownCodeIn(detail: string): string | undefined {
  return /^refused ([\w.:-]{1,64})$/.exec(detail)?.[1];
}

export function isPlatformRefusal(detail: string): detail is PlatformRefusal {
  return Object.hasOwn(REFUSALS, detail);
}

export function isRuleRefusal(detail: string | undefined): detail is RuleRefusal {
  return detail !== undefined && isPlatformRefusal(detail) && REFUSALS[detail].concerns === 'rule';
}

export function isFixableByMember(code: string): code is MemberFixableRefusal {
  return isPlatformRefusal(code) && REFUSALS[code].mends === 'member';
}
