import { beforeEach, expect, it } from 'vitest';
import type { Call, Card } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { eventually } from '../support/eventually.ts';
import { GatedCommunity, GUILD } from '../support/gated-community.ts';

const { gate: texts } = textsFor('en');

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity(GUILD);
});

/** Runs `/gate` as a moderator. */
async function say(args: Call['args']): Promise<Card> {
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

it('/gate undo that takes long says what it came to once it is asked about again', async () => {
  await guild.rule();
  await guild.member(1, 6_000);
  await say({ action: 'run' });
  const { take } = guild.adapter;
  const { promise: mayTake, resolve: goOn } = Promise.withResolvers<void>();
  guild.adapter.take = async (...asked) => {
    await mayTake;
    return await take.apply(guild.adapter, asked);
  };
  guild.gated = guild.open({ patience: 1 });
  const begun = await say({ action: 'undo' });
  expect(begun.title).toBe(texts.undoingTitle);
  const [button] = begun.actions[0] ?? [];
  const again = button !== undefined && 'call' in button ? button.call.args : {};
  expect((await say(again)).title).toBe(texts.undoingTitle);
  goOn();
  await eventually(async () => (await say(again)).title === texts.undoneTitle);
  expect(guild.holders()).toEqual([]);
  // Asked about once more, it undoes nothing else.
  expect((await say(again)).title).toBe(texts.undoneTitle);
});

it('/gate run mentions a question that is still open, with the button that answers it', async () => {
  await guild.rule({ graceSeconds: 0 });
  for (let id = 1; id <= 20; id++) await guild.member(id, 6_000);
  await guild.pass();
  for (let id = 1; id <= 10; id++) guild.score(id, 10);
  await guild.hours(2);
  const [held] = await guild.gated.gating.heldRuns(guild.community);
  const again = await say({ action: 'run' });
  expect(cardText(again)).toContain(texts.heldNow('10'));
  const confirm = { action: 'confirm', rule: held?.id };
  expect(again.actions[0]?.[0]).toMatchObject({ call: { args: confirm } });
});

it('/gate why says that a rule is paused, and no date on which it takes something', async () => {
  const { id } = await guild.rule();
  const account = await guild.member(1, 6_000);
  await guild.pass();
  guild.score(1, 10);
  await guild.hours(2);
  const why = async () => cardText(await say({ action: 'why', member: account }));
  expect(await why()).toContain(texts.takenAfter);
  await say({ action: 'pause', rule: id });
  const paused = await why();
  expect(paused).toContain(texts.paused.moderator);
  expect(paused).not.toContain(texts.takenAfter);
});
