import type { Block, Card } from '#command';
import type { CommandContext } from '#commands/answering/command';
import type { Moderation, PreviewCounts } from '#gating';
import { commonButtons, findingBlocks, gateCard, textBlock } from './shared.ts';

/** Who would gain and lose now. */
export async function previewCard(
  context: CommandContext,
  { gating, community }: Moderation,
): Promise<Card> {
  const { gate, number } = context.texts;
  const preview = await gating.preview(community);
  const { counts: numbers, affected, gains, losses, atRisk, doubt } = preview;
  const counts: Block = {
    kind: 'facts',
    facts: [
      { label: gate.members, value: [number(preview.members)] },
      { label: gate.gains, value: [number(affected.gains)] },
      { label: gate.losses, value: [number(affected.losses)] },
      { label: gate.atRisk, value: [number(affected.atRisk)] },
      { label: gate.unknown, value: [number(preview.unknown)] },
    ],
  };
  const of = (kind: keyof PreviewCounts) => ({ count: numbers[kind], members: affected[kind] });
  const lists = [
    ...findingBlocks(gate.losses, losses, of('losses'), context),
    ...findingBlocks(gate.gains, gains, of('gains'), context),
    ...findingBlocks(gate.atRisk, atRisk, of('atRisk'), context),
  ];
  const missing = [
    ...(preview.unseen > 0 ? [textBlock(gate.unseen(number(preview.unseen)))] : []),
    ...(preview.unchecked > 0 ? [textBlock(gate.unchecked(number(preview.unchecked)))] : []),
  ];
  const all = numbers.losses + numbers.gains + numbers.atRisk;
  const { text, count } = preview.file;
  const about = count < all ? gate.someInFile(number(count), number(all)) : gate.allInFile;
  const file = all === 0 ? undefined : { name: 'preview.csv', text, about };
  // Of whom nothing is known yet nothing is said either.
  const isNothing = file === undefined && missing.length === 0;
  const end = doubt !== undefined ? gate.doubts[doubt] : isNothing ? gate.nothing : undefined;
  const last = end === undefined ? [] : [textBlock(end)];
  return gateCard(gate.previewTitle, [counts, ...lists, ...missing, ...last], {
    tone: doubt === undefined ? 'plain' : 'warning',
    actions: [commonButtons(context.texts)],
    ...(file !== undefined && { file }),
  });
}
