import type { Card, Entry } from '#core/card';
import { type CommandContext, defineCommand } from '#core/command';
import { TIERS } from '#core/tier';
import { tierLabel } from '#core/tone';
import { leaderboard, statistics } from './shared/calls.ts';
import { footerOf } from './shared/footer.ts';
import { lowestOf } from './shared/tiers.ts';

/** What can be asked, with an example each, and what the figures mean. */
export const help = defineCommand({
  name: 'help',
  letter: 'h',
  about: (texts) => texts.commands.help.about,
  options: [],
  private: false,
  run(context): Card {
    const { texts } = context;
    return {
      tone: 'plain',
      title: texts.help.title,
      blocks: [
        { kind: 'text', spans: [texts.help.about] },
        { kind: 'entries', entries: commandEntries(context) },
        { kind: 'text', spans: [{ bold: texts.help.safety }] },
        { kind: 'text', spans: [texts.help.safetyAbout(context.links.pageHost)] },
        { kind: 'text', spans: [{ bold: texts.help.tiers }] },
        { kind: 'entries', entries: tierEntries(context) },
        { kind: 'text', spans: [{ bold: texts.help.figures }] },
        { kind: 'text', spans: [texts.help.figuresAbout] },
      ],
      actions: [[leaderboard(texts), statistics(texts)]],
      menu: undefined,
      footer: footerOf(context),
      private: false,
    };
  },
});

/** From the catalogue, which has an entry for every command: the list of commands imports this file. */
function commandEntries({ texts }: CommandContext): Entry[] {
  return Object.values(texts.commands).map(({ example, about }) => ({
    title: [{ code: example }],
    detail: [about],
  }));
}

function tierEntries({ texts, thresholds }: CommandContext): Entry[] {
  return TIERS.map((tier) => {
    const from = texts.number(lowestOf(tier, thresholds));
    return { title: [`${tierLabel(tier, texts)} · ${texts.help.from(from)}`], detail: [] };
  });
}
