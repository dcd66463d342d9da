import { UserError } from '#base';
import type { Card } from '#command';
import type { CommandContext } from '#commands/answering/command';
import type { Moderation } from '#gating';
import { commonButtons, gateButton, gateCard, textBlock } from './shared.ts';

/**
 * Whether members get the highest of the tier roles alone: says it, or changes it.
 * @throws UserError `gate-roles-only`
 */
export async function ladderCard(
  { texts }: CommandContext,
  { gating, community, traits, by }: Moderation,
  wanted: 'on' | 'off' | undefined,
): Promise<Card> {
  const { gate } = texts;
  if (traits.grants !== 'role') {
    throw new UserError('gate-roles-only', 'A ladder is made of roles, which only Discord has.');
  }
  if (wanted !== undefined) await gating.setLadder(community, wanted === 'on', by);
  const isOn = await gating.isLadder(community);
  const about = isOn ? gate.ladderOn : gate.ladderOff;
  const next = wanted === undefined ? [] : [textBlock(isOn ? gate.ladderNext : gate.ladderEnded)];
  const other = isOn
    ? gateButton(gate.ladderOffButton, { action: 'ladder', switch: 'off' })
    : gateButton(gate.ladderOnButton, { action: 'ladder', switch: 'on' });
  return gateCard(gate.ladderTitle, [textBlock(about), ...next], {
    actions: [[other], commonButtons(texts)],
  });
}
