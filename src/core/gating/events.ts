import type { Card } from '#core/card';
import type { Community } from '#core/gating/rule';

/** What platforms tell of. */
export interface GateEvents {
  joined(community: Community, account: string): void;
  left(community: Community, account: string): void;
  /** A community has another id: a Telegram group that became a supergroup. May be told twice. */
  moved(from: Community, to: Community): void;
  /** The bot's own place has changed: what it may do, or whether it is there at all. */
  standingChanged(community: Community): void;
  /** What rules may give has changed, or is gone: a role of Discord's. */
  grantChanged(community: Community, grant: string): void;
  /**
   * Somebody asks to join. The request is kept, and they are let in and told so as soon as they meet a
   * rule, at once or later.
   * @param locale of the one who asks
   * @returns what to tell them while they wait; undefined for who is let in, and where no rule is about it
   * @throws RetryableError when the request could not be kept
   */
  requested(
    community: Community,
    account: string,
    locale: string | undefined,
  ): Promise<Card | undefined>;
}
