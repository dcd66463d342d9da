import { beforeEach, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, ROLE } from '../support/gated-community.ts';

const EN = textsFor('en');

/* Members who would lose several roles are counted once, wherever members are counted. */

let guild: GatedCommunity;
let second: string;

beforeEach(async () => {
  guild = new GatedCommunity();
  await guild.rule({ graceSeconds: 0 });
  second = (await guild.rule({ graceSeconds: 0, grant: '901' })).id;
  for (let id = 1; id <= 7; id++) await guild.member(id, 6_000);
});

async function say(
  action: string,
  options: Record<string, string | undefined> = {},
): Promise<string> {
  const answerer = answererWith({ gating: guild.gated.gating, clock: () => guild.now * 1_000 });
  const { platform, id } = guild.community;
  const call = { command: 'gate', args: { action, ...options } };
  const caller = { platform, id: '1', community: id };
  const isModerator = () => true;
  return cardText(await answerer.answer({ call, caller, locale: 'en', isModerator }));
}

it('Gating counts distinct members in the preview, the question, the list and the undo', async () => {
  expect(await say('preview')).toContain(`${EN.gate.gains}: 7`);
  await guild.pass();
  expect(await say('undo')).toContain(EN.gate.undoLosing('7'));
  for (let id = 1; id <= 7; id++) guild.score(id, 10);
  await guild.store.gating.putSettings(guild.community, { logChannel: '55' });
  await guild.hours(1);
  expect(await say('preview')).toContain(`${EN.gate.atRisk}: 7`);
  await guild.hours(1);
  const [question] = guild.adapter.reports.slice(-1);
  expect(question && cardText(question)).toContain(EN.gate.heldAbout('7'));
  expect(await say('list')).toContain(EN.gate.heldNow('7'));
});

it('Gating counts by the current rules: a deleted rule removes nothing', async () => {
  await guild.pass();
  for (const id of [1, 2, 3]) {
    // These only have the second role.
    guild.adapter.roles.set(String(id), new Set(['901']));
  }
  for (let id = 1; id <= 7; id++) guild.score(id, 10);
  await guild.hours(2);
  expect(await say('list')).toContain(EN.gate.heldNow('7'));
  await guild.gated.gating.remove(guild.community, second, 'discord:1');
  expect(guild.adapter.holders(ROLE)).toHaveLength(4);
  expect(await say('list')).toContain(EN.gate.heldNow('4'));
});

it('Gating counts nobody who is read anew first: whoever recovered, and all after an edit', async () => {
  const { gating } = guild.gated;
  await gating.remove(guild.community, second, 'discord:1');
  await guild.pass();
  for (let id = 1; id <= 7; id++) guild.score(id, 10);
  await guild.hours(2);
  expect(await say('list')).toContain(EN.gate.heldNow('7'));
  guild.score(7, 6_000);
  await guild.pass();
  expect(await say('list')).toContain(EN.gate.heldNow('6'));
  const [rule] = await gating.rulesOf(guild.community);
  const requirements = [{ kind: 'score', least: 5 }] as const;
  await gating.edit(guild.community, rule?.id ?? '', { requirements }, 'discord:1');
  for (const count of ['6', '0']) {
    expect(await say('list')).not.toContain(EN.gate.heldNow(count));
  }
});

it('Gating counts nobody who was protected, or got the role by hand, since it asked', async () => {
  const { gating } = guild.gated;
  await gating.remove(guild.community, second, 'discord:1');
  await guild.pass();
  for (let id = 1; id <= 7; id++) guild.score(id, 10);
  await guild.hours(2);
  await gating.protect(guild.community, '1', true, 'discord:1');
  expect(await say('list')).toContain(EN.gate.heldNow('6'));
  guild.adapter.roles.set('2', new Set());
  await guild.pass();
  guild.adapter.roles.set('2', new Set([ROLE]));
  await guild.pass();
  expect(await say('list')).toContain(EN.gate.heldNow('5'));
  const [held] = await guild.store.gating.heldRuns(guild.community);
  const answer = await say('confirm', { rule: held?.id });
  const { leftAlone, skips } = EN.gate;
  expect(answer).toContain(`${leftAlone} · ${skips.protected}`);
  expect(answer).toContain(`${leftAlone} · ${skips['changed-since']}`);
  expect(new Set(guild.adapter.holders(ROLE))).toEqual(new Set(['1', '2']));
});

it('Gating counts in the question of an undo nobody who keeps what the run gave', async () => {
  const { gating } = guild.gated;
  await gating.remove(guild.community, second, 'discord:1');
  await guild.pass();
  await gating.protect(guild.community, '1', true, 'discord:1');
  expect(await say('undo')).toContain(EN.gate.undoLosing('6'));
  guild.adapter.roles.set('2', new Set());
  await say('why', { member: '2' });
  // Few enough to be undone without a question.
  expect(await say('undo')).toContain(EN.gate.undoneTitle);
  expect(guild.adapter.holders(ROLE)).toEqual(['1']);
});

it('Gating tells who has confirmed of each member who keeps the role, and why', async () => {
  const { gating } = guild.gated;
  await gating.remove(guild.community, second, 'discord:1');
  await guild.pass();
  for (let id = 1; id <= 7; id++) guild.score(id, 10);
  await guild.hours(2);
  const [held] = await guild.store.gating.heldRuns(guild.community);
  guild.score(7, 6_500);
  const [rule] = await gating.rulesOf(guild.community);
  await gating.edit(guild.community, rule?.id ?? '', { graceSeconds: 3_600 }, 'discord:1');
  const answer = await say('confirm', { rule: held?.id });
  const { leftAlone, skips } = EN.gate;
  expect(answer.split(`${leftAlone} · ${skips['not-due']}`)).toHaveLength(1 + 6);
  expect(answer).toMatch(new RegExp(`${leftAlone} · .*6,500`));
  expect(guild.adapter.holders(ROLE)).toHaveLength(7);
});
