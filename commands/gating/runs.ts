import type { Block, Card } from '#core/card';
import type { CommandContext } from '#core/command';
import type { RunCounts } from '#core/gating/audit';
import type { Moderation } from '#core/gating/moderation';
import { runReport } from '#core/gating/report';
import type { Texts } from '#core/texts/index';
import { commonButtons, gateButton, gateCard, required, textBlock } from './shared.ts';

/** A run, and what it came to; one that takes long goes on by itself. */
export async function runCard(
  { texts }: CommandContext,
  { gating, community, by }: Moderation,
): Promise<Card> {
  const { gate } = texts;
  const result = await gating.run(community, by);
  if (result === 'under way') {
    const actions = [[gateButton(gate.again, { action: 'list' })]];
    return gateCard(gate.runningTitle, [textBlock(gate.runningAbout)], { actions });
  }
  if (result === undefined) {
    return gateCard(gate.runTitle, [textBlock(gate.notRun)], { actions: [commonButtons(texts)] });
  }
  const report = runReport(result, texts);
  const undo = gateButton(gate.undoButton, { action: 'undo' });
  return {
    ...report,
    private: true,
    actions: [...report.actions, [...commonButtons(texts), undo]],
  };
}

/** @throws UserError `gate-nothing` */
export async function confirmedCard(
  context: CommandContext,
  { gating, community, by }: Moderation,
  run: string | undefined,
): Promise<Card> {
  const { texts } = context;
  const counts = await gating.confirm(community, required(run, 'rule', context), by);
  const undo = gateButton(texts.gate.undoButton, { action: 'undo' });
  return gateCard(texts.gate.confirmedTitle, [countsBlock(counts, texts)], {
    actions: [[...commonButtons(texts), undo]],
  });
}

export async function undoneCard(
  { texts }: CommandContext,
  { gating, community, by }: Moderation,
): Promise<Card> {
  const { gate } = texts;
  const counts = await gating.undo(community, by);
  if (counts === undefined) {
    return gateCard(gate.undoNoneTitle, [textBlock(gate.undoNothing)], {
      actions: [commonButtons(texts)],
    });
  }
  return gateCard(gate.undoneTitle, [countsBlock(counts, texts), textBlock(gate.undoneAbout)], {
    actions: [commonButtons(texts)],
  });
}

function countsBlock({ given, taken, refused }: RunCounts, { gate, number }: Texts): Block {
  return {
    kind: 'facts',
    facts: [
      { label: gate.given, value: [number(given)] },
      { label: gate.taken, value: [number(taken)] },
      { label: gate.refused, value: [number(refused)] },
    ],
  };
}
