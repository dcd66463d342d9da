import type { MaybePromise } from '#base';
import type { Card } from '#command';
import type { HandEntry } from './members/bars/hand-log.ts';
import type { Community } from './rules/rule.ts';

/** Events reported by the platforms. */
export interface GateEvents {
  joined(community: Community, account: string): void;
  left(community: Community, account: string): void;
  /**
   * Someone other than the bot removed or banned them: rules don't let them in again.
   * @param by their account; undefined if the platform doesn't say
   * @returns once that's recorded: until then, the platform's report must be kept, and what the member does next wait
   */
  removed(
    community: Community,
    account: string,
    grant: string,
    by: string | undefined,
  ): MaybePromise<void>;
  /** Someone other than the bot has let them in, or given them what a rule grants; they may not have had the right. @returns as `removed` */
  given(
    community: Community,
    account: string,
    grant: string,
    by: string | undefined,
  ): MaybePromise<void>;
  /** The platform's log of what people give and take by hand has a new entry. */
  handChanged(community: Community, entry: HandEntry): void;
  /** Events of these communities may have been missed. */
  missed(communities: readonly Community[]): void;
  /**
   * Something about a member has changed.
   * @param grants what they have now
   * @param isPending whether they haven't passed the membership screening
   */
  changed(
    community: Community,
    account: string,
    grants: readonly string[],
    isPending: boolean,
  ): void;
  /** A community's id changed: a Telegram group became a supergroup. May be reported twice. */
  moved(from: Community, to: Community): void;
  /** The bot's own membership changed: its permissions, or whether it's there at all. */
  standingChanged(community: Community): void;
  /** Something that rules grant has changed or is gone, such as a Discord role. */
  grantChanged(community: Community, grant: string): void;
  /** Something that rules grant has another name now. */
  renamed(community: Community, grant: string, name: string): void;
  /**
   * Someone requests to join. The request is stored, and they're admitted and notified as soon as
   * they meet a rule, now or later.
   * @param locale of the requester
   * @returns what to tell them while they wait; undefined if they're admitted, or no rule applies
   * @throws RetryableError if the request couldn't be stored
   */
  requested(
    community: Community,
    account: string,
    locale: string | undefined,
  ): Promise<Card | undefined>;
}
