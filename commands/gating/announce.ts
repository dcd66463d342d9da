import type { Block, Card } from '#command';
import type { CommandContext } from '#commands/answering/command';
import {
  type Announced,
  type AnnounceSettings,
  type Moderation,
  postFailureText,
  tierNamed,
} from '#gating';
import { BADGE_TIERS, type BadgeTier } from '#reputation';
import { commonButtons, gateButton, gateCard, requireOption, textBlock } from './shared.ts';

/** What a moderator has chosen, as options offer it; what's left out stays as it is. */
interface Choice {
  readonly channel: string | undefined;
  readonly from: string | undefined;
  readonly badges: string | undefined;
  readonly switch: 'on' | 'off' | undefined;
}

/** @param choice an option's value */
export function rarityNamed(choice: string): BadgeTier | 'none' {
  return BADGE_TIERS.find((tier) => tier.toLowerCase() === choice) ?? 'none';
}

/** The lowest tier that is announced where moderators choose none. */
const FROM = 'Whale';

/** What is announced to everybody here: says it, or changes it. */
export async function announceCard(
  context: CommandContext,
  { gating, community, traits, by }: Moderation,
  { channel, from, badges, switch: turn }: Choice,
): Promise<Card> {
  const { announcing } = gating;
  const { settings } = await announcing.of(community);
  const isAsked = [channel, from, badges, turn].some((each) => each !== undefined);
  if (turn === 'off') await announcing.turnOff(community, by);
  else if (isAsked) {
    // Where communities have no channels, the chat itself is the place.
    const place = traits.reportsTo === 'channel' ? channel : community.id;
    const chosen = badges === undefined ? settings?.badges : rarityNamed(badges);
    await announcing.turnOn(
      community,
      {
        channel: requireOption(place ?? settings?.channel, 'channel', context),
        from: tierNamed(from) ?? settings?.from ?? FROM,
        badges: chosen === 'none' ? undefined : chosen,
      },
      by,
    );
  }
  return await stateCard(context, { gating, community, traits, by });
}

async function stateCard(
  { texts }: CommandContext,
  { gating, community, traits }: Moderation,
): Promise<Card> {
  const { announce } = texts;
  const announced = await gating.announcing.of(community);
  const { settings } = announced;
  const common = commonButtons(texts);
  if (settings === undefined) {
    const start = announce.start(announceExample(traits, texts));
    return gateCard(announce.title, [textBlock(announce.off), textBlock(start)], {
      actions: [common],
    });
  }
  const off = gateButton(announce.offButton, { action: 'announce', switch: 'off' });
  const blocks = [
    ...announceBlocks(settings, traits.reportsTo === 'channel', texts),
    ...refusalBlocks(announced, texts),
    textBlock(announce.who),
  ];
  return gateCard(announce.title, blocks, {
    tone: isAmiss(announced) ? 'warning' : 'plain',
    actions: [[off], common],
  });
}

/** Whether something keeps announcements from being posted, or has. */
export function isAmiss({ closed, refused }: Announced): boolean {
  return closed !== undefined || refused !== undefined;
}

/** What that is. */
export function refusalBlocks(
  { closed, refused }: Announced,
  texts: CommandContext['texts'],
): Block[] {
  const whys = [closed, refused].flatMap((why) =>
    why === undefined ? [] : postFailureText(why, texts, '/gate announce'),
  );
  return [...new Set(whys)].map((why) => textBlock(`⚠ ${why}`));
}

/** A command that turns announcements on there. */
export function announceExample(
  { reportsTo }: Moderation['traits'],
  { announce }: CommandContext['texts'],
): string {
  return reportsTo === 'channel' ? announce.examples.channel : announce.examples.chat;
}

/** Where announcements go, and what is announced. */
export function announceBlocks(
  { channel, from, badges }: AnnounceSettings,
  hasChannels: boolean,
  { announce, tiers, rarities }: CommandContext['texts'],
): Block[] {
  const what = announce.tiers(tiers[from]);
  const rare = badges === undefined ? undefined : announce.badges(rarities[badges]);
  return [
    hasChannels ? textBlock(`${announce.goTo} `, { channel }) : textBlock(announce.here),
    textBlock(rare === undefined ? `${what}. ${announce.noBadges}` : `${what}, ${rare}`),
  ];
}
