import { beforeEach, expect, it } from 'vitest';
import type { Card } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, GUILD } from '../support/gated-community.ts';

const { gate: texts } = textsFor('en');

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity(GUILD);
});

/** Runs `/gate` as a moderator. */
async function say(args: Record<string, string>): Promise<Card> {
  const caller = { platform: GUILD.platform, id: '1', community: GUILD.id };
  const answerer = answererWith({ gating: guild.gated.gating, clock: () => guild.now * 1000 });
  const call = { command: 'gate', args };
  return await answerer.answer({ call, caller, locale: 'en', isModerator: () => true });
}

it('/gate run says whether no rule is active or somebody else’s run is under way', async () => {
  const { id } = await guild.rule();
  await guild.member(1, 6_000);
  let second: Promise<Card> | undefined;
  const inspect = guild.adapter.inspect.bind(guild.adapter);
  guild.adapter.inspect = async (...asked) => {
    second ??= say({ action: 'run' });
    await second;
    return await inspect(...asked);
  };
  await say({ action: 'run' });
  const busy = (await second) as Card;
  expect(busy.title).toBe(texts.runningTitle);
  expect(cardText(busy)).toContain(texts.runsAlready);
  await guild.gated.gating.pause(guild.community, id, 'discord:1');
  const idle = await say({ action: 'run' });
  expect(idle.title).toBe(texts.notRunTitle);
  expect(cardText(idle)).toContain(texts.notRun);
});

it('/gate stop and /gate run name in their titles what was stopped, or is under way', async () => {
  expect((await say({ action: 'stop' })).title).toBe(texts.stopNothingTitle);
  await guild.rule();
  await guild.member(1, 6_000);
  const titles: string[] = [];
  const { give, take } = guild.adapter;
  const meanwhile = async () => {
    if (titles.length % 2 === 0) {
      titles.push((await say({ action: 'run' })).title);
      titles.push((await say({ action: 'stop' })).title);
    }
  };
  guild.adapter.give = async (...asked) => {
    await meanwhile();
    return await give.apply(guild.adapter, asked);
  };
  guild.adapter.take = async (...asked) => {
    await meanwhile();
    return await take.apply(guild.adapter, asked);
  };
  await say({ action: 'run' });
  await say({ action: 'undo' });
  expect(titles).toEqual([
    ...[texts.runningTitle, texts.stoppedTitle],
    ...[texts.undoingTitle, texts.undoStoppedTitle],
  ]);
});
