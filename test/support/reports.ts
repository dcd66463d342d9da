import { RetryableError } from '#base/errors';
import { type Card, noteCard } from '#command/cards/card';
import type { GatedCommunity } from './gated-community.ts';

/** What a channel for reports is greeted with. */
export const GREETING: Card = { ...noteCard('plain', 'Reports', ''), private: false };

/** What moderators were told since. */
export function reportsOf({ adapter }: GatedCommunity): readonly Card[] {
  return adapter.reports.filter(({ title }) => title !== GREETING.title);
}

/** From now on the platform doesn't respond to posts. */
export function silence({ adapter }: GatedCommunity): void {
  adapter.before = (call) => {
    if (call.startsWith('report')) throw new RetryableError('Discord is not connected.');
    return undefined;
  };
}
