import { beforeEach, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, MODERATOR } from '../support/gated-community.ts';

const EN = textsFor('en');

/* What `/gate undo` means without a run. */

let guild: GatedCommunity;

beforeEach(async () => {
  guild = new GatedCommunity();
  await guild.rule({ graceSeconds: 0 });
});

const undo = (id?: string) => guild.gated.gating.undo(guild.community, MODERATOR, id);

async function members(first: number, count: number): Promise<void> {
  for (let id = first; id < first + count; id++) await guild.member(id, 6_000);
}

it('a held run is no reason to undo an older one', async () => {
  await members(1, 10);
  const given = await guild.pass();
  guild.now += 20 * 86_400;
  for (let id = 1; id <= 10; id++) guild.score(id, 10);
  await guild.hours(2);
  expect(await guild.gated.gating.heldRuns(guild.community)).toHaveLength(1);
  expect(await undo()).toMatchObject({
    why: 'held',
    asksAbout: { id: given?.run.id },
    losing: 10,
  });
  expect(guild.holders()).toHaveLength(10);
});

it('The last run is the last one by no date, as the clock may have been set back in between', async () => {
  await members(1, 1);
  await guild.pass();
  guild.now -= 7_200;
  await members(2, 1);
  const last = await guild.pass();
  expect(await undo()).toMatchObject({ undone: { id: last?.run.id } });
  expect(guild.holders()).toEqual(['1']);
});

it('The last run is a held run that was confirmed after another one', async () => {
  await members(1, 10);
  await guild.pass();
  guild.now += 20 * 86_400;
  for (let id = 1; id <= 10; id++) guild.score(id, 10);
  await guild.hours(2);
  const [held] = await guild.gated.gating.heldRuns(guild.community);
  await members(11, 1);
  await guild.pass();
  expect(guild.holders()).toContain('11');
  await guild.gated.gating.confirm(guild.community, held?.id ?? '', MODERATOR);
  expect(guild.holders()).toEqual(['11']);
  expect(await undo()).toMatchObject({ undone: { id: held?.id } });
  expect(guild.holders()).toHaveLength(11);
});

it("yesterday's run is only undone by its id", async () => {
  await members(1, 3);
  const given = await guild.pass();
  guild.now += 86_400;
  expect(await undo()).toMatchObject({ why: 'old', asksAbout: { id: given?.run.id } });
  expect(guild.holders()).toHaveLength(3);
  expect(await undo(given?.run.id)).toMatchObject({ run: { counts: { taken: 3 } } });
});

it('a second undo asks about the run before', async () => {
  await members(1, 3);
  const first = await guild.pass();
  await members(4, 1);
  await guild.pass();
  await undo();
  expect(await undo()).toMatchObject({ why: 'undone', asksAbout: { id: first?.run.id } });
  expect(guild.holders()).toHaveLength(3);
});

it("a moderator's run that found nothing to do is the last one", async () => {
  await members(1, 3);
  const first = await guild.pass();
  guild.now += 60;
  await guild.gated.gating.run(guild.community, MODERATOR);
  expect(await undo()).toMatchObject({ why: 'unchanged', asksAbout: { id: first?.run.id } });
  expect(guild.holders()).toHaveLength(3);
});

it('a check of one member is only undone by its id', async () => {
  await members(1, 1);
  await guild.gated.gating.check(guild.community, '1');
  const question = await undo();
  expect(question).toMatchObject({ why: 'look', asksAbout: { cause: 'member' } });
  expect(guild.holders()).toEqual(['1']);
});

it('An undo asks before removing more than a run may, with a button that undoes that run', async () => {
  await members(1, 6);
  const given = await guild.pass();
  const say = async (args: Record<string, string>) => {
    const answerer = answererWith({
      gating: guild.gated.gating,
      clock: () => guild.now * 1_000,
    });
    const { platform, id } = guild.community;
    const caller = { platform, id: '1', community: id };
    const call = { command: 'gate', args };
    return await answerer.answer({ call, caller, locale: 'en', isModerator: () => true });
  };
  const card = await say({ action: 'undo' });
  const text = cardText(card);
  expect(text).toContain(EN.gate.undoAskTitle);
  expect(text).toContain(given?.run.id);
  expect(text).toContain(EN.gate.undoLosing('6'));
  expect(guild.holders()).toHaveLength(6);
  const args = { action: 'undo', rule: given?.run.id ?? '' };
  expect(card.actions[0]?.[0]).toMatchObject({ call: { command: 'gate', args } });
  expect(cardText(await say(args))).toContain('Removed: 6');
  expect(guild.holders()).toEqual([]);
});
