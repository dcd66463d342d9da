import { RetryableError } from '#base';
import type { Card } from '#command';
import type { CommandContext } from '#commands/answering/command';
import type { Moderation, WalletMode } from '#gating';
import { commonButtons, gateButton, gateCard, textBlock } from './shared.ts';

/** How several wallets of a member count: says it, or changes it. */
export async function walletsCard(
  { texts }: CommandContext,
  { gating, community, traits, by }: Moderation,
  wanted: WalletMode | undefined,
): Promise<Card> {
  const { gate } = texts;
  const isChanged =
    wanted !== undefined && (await gating.choices.setWalletMode(community, wanted, by));
  const mode = wanted ?? (await gating.choices.walletModeOf(community));
  if (mode === undefined) throw new RetryableError('the setting is not known in time');
  const isSum = mode === 'sum';
  const blocks = [
    textBlock(isSum ? gate.walletsSum : gate.walletsBest),
    // Only Discord has Linked Roles.
    ...(isSum && traits.grants === 'role' ? [textBlock(gate.walletsLinkedRoles)] : []),
    ...(isChanged ? [textBlock(isSum ? gate.walletsNext : gate.walletsEnded)] : []),
  ];
  const other = isSum
    ? gateButton(gate.walletsBestButton, { action: 'wallets', count: 'best' })
    : gateButton(gate.walletsSumButton, { action: 'wallets', count: 'sum' });
  return gateCard(gate.walletsTitle, blocks, { actions: [[other], commonButtons(texts)] });
}
