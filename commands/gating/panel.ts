import type { Block, Card } from '#command';
import type { CommandContext } from '#commands/answering/command';
import { type Moderation, type Panel, postFailureText } from '#gating';
import { commonButtons, gateButton, gateCard, requireOption, textBlock } from './shared.ts';

/** The lasting message with the rules: says how it is, posts it, or takes it away. */
export async function panelStateCard(
  context: CommandContext,
  { gating, community, traits, by }: Moderation,
  channel: string | undefined,
  turn: 'on' | 'off' | undefined,
): Promise<Card> {
  const { texts } = context;
  const { panels } = gating;
  const hasChannels = traits.reportsTo === 'channel';
  const stays: Block[] = [];
  if (turn === 'off') await panels.turnOff(community, by);
  else if (turn === 'on' || channel !== undefined) {
    // Where communities have no channels, the chat itself is the place.
    const channelFor = (settings: Panel['settings']) =>
      requireOption(
        hasChannels ? (channel ?? settings?.channel) : community.id,
        'channel',
        context,
      );
    const { channel: wanted, closed } = await panels.turnOnIn(community, channelFor, by);
    if (closed !== undefined) {
      stays.push(textBlock('⚠ ', { channel: wanted }, ` ${postFailureText(closed, texts)}`));
    }
  }
  const panel = await panels.of(community);
  const { settings } = panel;
  const common = commonButtons(texts);
  if (settings === undefined) {
    const on = gateButton(texts.gate.onOff.on, { action: 'panel', switch: 'on' });
    const actions = hasChannels ? [common] : [[on], common];
    const blocks = [texts.panel.off, ...(hasChannels ? [texts.panel.start] : [])].map((each) =>
      textBlock(each),
    );
    return gateCard(texts.panel.settings, [...blocks, ...leftBlocks(panel, hasChannels, texts)], {
      actions,
    });
  }
  const off = gateButton(texts.panel.offButton, { action: 'panel', switch: 'off' });
  const again =
    panel.post?.ended === undefined
      ? []
      : [gateButton(texts.panel.againButton, { action: 'panel', switch: 'on' })];
  return gateCard(
    texts.panel.settings,
    [...panelBlocks(panel, hasChannels, texts), ...stays, textBlock(texts.panel.lasts)],
    {
      tone: isAmiss(panel) || stays.length > 0 ? 'warning' : 'plain',
      actions: [[...again, off], common],
    },
  );
}

/** Where the panel is, and what's amiss with it. */
export function panelBlocks(
  standing: Panel,
  hasChannels: boolean,
  texts: CommandContext['texts'],
): Block[] {
  const { settings, post } = standing;
  const { panel } = texts;
  const left = leftBlocks(standing, hasChannels, texts);
  if (settings === undefined) return left;
  if (post?.ended !== undefined) return [textBlock(`⚠ ${panel[post.ended]}`), ...left];
  const { channel } = settings;
  const isThere = post?.message !== undefined;
  const inChannel = textBlock(`${isThere ? panel.isIn : panel.goesTo} `, { channel });
  return [
    ...(hasChannels ? [inChannel] : isThere ? [textBlock(panel.here)] : []),
    ...(post?.refused === undefined
      ? post?.message === undefined
        ? [textBlock(panel.waiting)]
        : []
      : [textBlock(`⚠ ${panel.refused} ${postFailureText(post.refused, texts, '/gate panel')}`)]),
    ...left,
  ];
}

/** What former panels posted, until it can be deleted. */
function leftBlocks(
  { left }: Panel,
  hasChannels: boolean,
  { panel }: CommandContext['texts'],
): Block[] {
  if (!hasChannels) return left.length === 0 ? [] : [textBlock(`⚠ ${panel.leftHere}`)];
  const channels = [...new Set(left.map(({ channel }) => channel))];
  return channels.map((channel) => textBlock(`⚠ ${panel.leftIn} `, { channel }));
}

function isAmiss({ post, left }: Panel): boolean {
  return left.length > 0 || post?.ended !== undefined || post?.refused !== undefined;
}
