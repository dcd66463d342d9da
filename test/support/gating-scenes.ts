import type { Card } from '#command/cards/card';
import type { GatedCommunity } from './gated-community.ts';

/** Something happens while the platform is granting, after this many grants. */
export function afterGives(
  guild: GatedCommunity,
  count: number,
  work: () => Promise<unknown>,
): void {
  let seen = 0;
  const give = guild.adapter.give.bind(guild.adapter);
  guild.adapter.give = async (...args) => {
    seen += 1;
    if (seen === count + 1) await work();
    return await give(...args);
  };
}

/** The first message in a log channel. */
export const NOTE: Card = {
  tone: 'plain',
  title: 'hello',
  blocks: [],
  actions: [],
  menu: undefined,
  footer: [],
  private: false,
};
