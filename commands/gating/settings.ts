import type { Card } from '#command';
import type { CommandContext } from '#commands/answering/command';
import type { Moderation } from '#gating';
import { commonButtons, gateButton, gateCard, requireOption, textBlock } from './shared.ts';

export async function protectCard(
  context: CommandContext,
  { gating, community, by }: Moderation,
  member: string | undefined,
  on: boolean,
): Promise<Card> {
  const { gate } = context.texts;
  const account = requireOption(member, 'member', context);
  await gating.protect(community, account, on, by);
  return gateCard(
    on ? gate.protectedTitle : gate.unprotectedTitle,
    [textBlock({ member: account }), textBlock(on ? gate.protectedAbout : gate.unprotectedAbout)],
    { actions: [commonButtons(context.texts)] },
  );
}

/** Where moderators are written to: a channel, or the private chat of whoever asks. */
export async function channelCard(
  { texts, caller }: CommandContext,
  { gating, community, traits, by }: Moderation,
  channel: string | undefined,
): Promise<Card> {
  const { gate } = texts;
  const target = traits.reportsTo === 'channel' ? channel : caller.id;
  const greeting = { ...gateCard(gate.channelTitle, [textBlock(gate.channelSet)]), private: false };
  const written = await gating.setLogChannel(community, target, greeting, by);
  const set = target === undefined ? gate.channelNone : gate.channelSet;
  const about = written === true ? set : gate.channelFailed[written];
  return gateCard(gate.channelTitle, [textBlock(about)], {
    tone: written === true ? 'plain' : 'warning',
    actions: [commonButtons(texts)],
  });
}

/** The link that makes people request to join. */
export async function linkCard(
  { texts }: CommandContext,
  { gating, community, by }: Moderation,
  isNew: boolean,
): Promise<Card> {
  const { gate } = texts;
  const link = isNew
    ? await gating.invites.renew(community, by)
    : await gating.invites.of(community);
  if (link === undefined) {
    return gateCard(gate.linkTitle, [textBlock(gate.linkNone)], {
      tone: 'warning',
      actions: [commonButtons(texts)],
    });
  }
  const blocks = [textBlock({ code: link }), textBlock(isNew ? gate.linkRenewed : gate.linkAbout)];
  return gateCard(gate.linkTitle, blocks, {
    actions: [[gateButton(gate.linkRenew, { action: 'renew' })], commonButtons(texts)],
  });
}
