import { type LogFields, type Logger, Recent } from '#base';
import type { Inspection, RuleBlocker } from '#gating';

/** Milliseconds after which the log may name the same obstacle of a role again. */
const AGAIN_MS = 3_600_000;
const MOST = 1_000;

/** Obstacles that only the operator can mend. */
const MENDED_BY_OPERATOR = {
  'needs-2fa':
    "Discord: a server demands two-factor authentication, and the account that owns this bot doesn't have it; turn it on for that account",
  'unknown-role-property':
    "Discord: a role has a property or a permission that this version doesn't know, so rules don't grant it; update Fathom",
} as const satisfies Partial<Record<RuleBlocker, string>>;

type MendedByOperator = keyof typeof MENDED_BY_OPERATOR;

/** Names in the log what keeps rules from working and moderators can't mend, once an hour. */
export class OperatorNotices {
  readonly #log: Logger;
  readonly #said: Recent<true>;

  constructor(log: Logger, clock: () => number) {
    this.#log = log;
    this.#said = new Recent(AGAIN_MS, MOST, clock);
  }

  /** What a look at a role has found. */
  found(community: string, role: string, { obstacles }: Inspection): void {
    for (const obstacle of Object.keys(MENDED_BY_OPERATOR) as MendedByOperator[]) {
      if (obstacles.includes(obstacle)) this.say(obstacle, community, role);
      else this.#said.delete(keyOf(obstacle, community, role));
    }
  }

  say(obstacle: MendedByOperator, community: string, role: string, fields: LogFields = {}): void {
    const key = keyOf(obstacle, community, role);
    if (this.#said.get(key) !== undefined) return;
    this.#said.set(key, true);
    this.#log.error({ guild: community, role, ...fields }, MENDED_BY_OPERATOR[obstacle]);
  }
}

function keyOf(obstacle: MendedByOperator, community: string, role: string): string {
  return `${obstacle} ${community} ${role}`;
}
