import { RetryableError } from '#base';
import type { Card } from '#command';
import type { CommandContext } from '#commands/answering/command';
import { languageName, type Moderation } from '#gating';
import { commonButtons, gateButton, gateCard, textBlock } from './shared.ts';

/** The language of what everybody reads in a community: says it, or changes it. */
export async function languageCard(
  { texts }: CommandContext,
  { gating, community, by }: Moderation,
  wanted: string | undefined,
): Promise<Card> {
  const { gate } = texts;
  if (wanted !== undefined) await gating.choices.setLanguage(community, wanted, by);
  const chosen = wanted ?? (await gating.choices.languageChoiceOf(community));
  if (chosen === undefined) throw new RetryableError('the language is not known in time');
  const about =
    chosen === 'auto' ? gate.languageAuto : gate.languageSet(languageName(chosen, texts));
  const auto = gateButton(gate.languages.auto, { action: 'language', language: 'auto' });
  return gateCard(gate.languageTitle, [textBlock(about)], {
    actions: [...(chosen === 'auto' ? [] : [[auto]]), commonButtons(texts)],
  });
}
