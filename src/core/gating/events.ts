import type { Card } from '#core/card';
import type { Community } from '#core/gating/rule';

/** What becomes of a request to join. */
export type JoinAnswer =
  /** No rule of ours is about that: somebody else decides. */
  | { readonly kind: 'not-ours' }
  /** They meet a rule: let them in, and tell them. */
  | { readonly kind: 'admit'; readonly card: Card }
  /** The request stays, and this is told. They are let in by itself once they meet a rule. */
  | { readonly kind: 'wait'; readonly card: Card };

/** What platforms tell of. None of these throws. */
export interface GateEvents {
  joined(community: Community, account: string): void;
  left(community: Community, account: string): void;
  /** A community got another id (a Telegram group that became a supergroup). */
  moved(from: Community, to: Community): void;
  /** The bot's own place has changed: what it may do, or whether it is there at all. */
  standingChanged(community: Community): void;
  /** @param locale of the one who asks */
  requested(community: Community, account: string, locale: string | undefined): Promise<JoinAnswer>;
}
