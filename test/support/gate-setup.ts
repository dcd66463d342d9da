import { PLATFORMS } from '#app/config';
import type { Card } from '#command/cards/card';
import type { Community } from '#gating/rules/rule';
import { answererWith } from './ask.ts';
import { GatedCommunity, MODERATOR } from './gated-community.ts';
import { TestRoleAdapter } from './role-adapter.ts';

/** The roles that a setup makes, in English. */
export const NAMES = ['Titan', 'Whale', 'Shark', 'Dolphin', 'Shrimp'];

/** A community in which `/gate setup` is tried: one of Discord's, unless another is given. */
export function openSetup(community?: Community) {
  const guild = new GatedCommunity(community);
  const adapter = new TestRoleAdapter();
  // Another community's platform keeps no roles.
  if (community === undefined) guild.gated = guild.open({ adapterOf: () => adapter });
  const setup = () => guild.gated.gating.setup;
  return {
    guild,
    adapter,
    setup,
    /** The roles that were made. */
    names: () => adapter.made.map(({ name }) => name),
    /** The roles that rules give. */
    rules: async () =>
      (await guild.gated.gating.rulesOf(guild.community)).map(({ grantName }) => grantName),
    settings: async () => guild.store.gating.settingsOf(guild.community),
    carryOut: (isNew = false, channel?: string, panel?: string) =>
      setup().carryOut(guild.community, MODERATOR, { channel, panel }, isNew),
    /** Where something is posted that nobody has taken away. */
    posted: () =>
      adapter.posts.filter(({ isDeleted }) => isDeleted !== true).map(({ channel }) => channel),
    /** What a moderator is answered. */
    async say(args: Record<string, string>, locale = 'en'): Promise<Card> {
      const { gating } = guild.gated;
      const { platform, id } = guild.community;
      const answerer = answererWith({ gating, platforms: PLATFORMS });
      return await answerer.answer({
        call: { command: 'gate', args: { action: 'setup', ...args } },
        caller: { platform, id: '1', community: id },
        locale,
        isModerator: () => true,
      });
    },
  };
}
