import { UserError } from '#base';
import type { Card } from '#command';
import type { CommandContext } from '#commands/answering/command';
import type { Moderation } from '#gating';
import { announceBlocks, announceExample } from './announce.ts';
import { commonButtons, gateButton, gateCard, textBlock } from './shared.ts';

/** Whether the week is told on Mondays: says it, or changes it. */
export async function digestSettingCard(
  { texts }: CommandContext,
  { gating, community, traits, by }: Moderation,
  wanted: 'weekly' | 'off' | undefined,
): Promise<Card> {
  const { digest } = texts;
  const { announcing } = gating;
  const needsPlace = digest.needsPlace(announceExample(traits, texts));
  if (wanted === 'weekly' && (await announcing.of(community)).settings === undefined) {
    throw new UserError('invalid-parameter', needsPlace);
  }
  if (wanted !== undefined) await announcing.setWeekly(community, wanted === 'weekly', by);
  const { settings, isWeekly } = await announcing.of(community);
  const [place] =
    settings === undefined ? [] : announceBlocks(settings, traits.reportsTo === 'channel', texts);
  const blocks =
    isWeekly && place !== undefined
      ? [textBlock(digest.on), place, textBlock(digest.who)]
      : [textBlock(digest.off), ...(settings === undefined ? [textBlock(needsPlace)] : [])];
  const other = isWeekly
    ? [gateButton(digest.offButton, { action: 'digest', digest: 'off' })]
    : settings === undefined
      ? []
      : [gateButton(digest.onButton, { action: 'digest', digest: 'weekly' })];
  return gateCard(digest.settingTitle, blocks, { actions: [other, commonButtons(texts)] });
}
