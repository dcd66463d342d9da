import { beforeEach, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, MODERATOR, ROLE } from '../support/gated-community.ts';

const EN = textsFor('en');

/*
 * An undo that the platform refuses in part: only what is back is reported as back, and the rest can still be
 * undone.
 */

let guild: GatedCommunity;
let older: string;
let newer: string;

beforeEach(async () => {
  guild = new GatedCommunity();
  await guild.rule();
  await guild.member(1, 6_000);
  older = (await guild.pass())?.run.id ?? '';
  for (const id of [2, 3, 4]) await guild.member(id, 6_000);
  newer = (await guild.pass())?.run.id ?? '';
});

const undo = (id?: string) => guild.gated.gating.undo(guild.community, MODERATOR, id);

/** From now on the platform only lets the role be removed from these members. */
function refuse(...spared: string[]): void {
  guild.adapter.blockers = ['role-too-high'];
  guild.adapter.before = (call) => {
    const [verb, account = ''] = call.split(' ');
    return verb === 'take' && !spared.includes(account) ? 'not-allowed' : undefined;
  };
}

function allow(): void {
  guild.adapter.blockers = [];
  guild.adapter.before = () => undefined;
}

async function say(args: Record<string, string>) {
  const answerer = answererWith({ gating: guild.gated.gating, clock: () => guild.now * 1_000 });
  const { platform, id } = guild.community;
  const call = { command: 'gate', args: { action: 'undo', ...args } };
  const caller = { platform, id: '1', community: id };
  return await answerer.answer({ call, caller, locale: 'en', isModerator: () => true });
}

it('A refused undo offers the rest of the same run, and then the older one', async () => {
  refuse('2');
  await undo();
  expect(guild.holders()).toEqual(['1', '3', '4']);
  expect((await guild.store.gating.run(newer))?.status).toBe('finished');
  expect(await undo()).toMatchObject({
    why: 'undo-partial',
    asksAbout: { id: newer },
    losing: 2,
    left: [{ account: '4' }, { account: '3' }],
  });
  allow();
  expect(await undo(newer)).toMatchObject({ run: { counts: { taken: 2 } } });
  expect(guild.holders()).toEqual(['1']);
  expect((await guild.store.gating.run(newer))?.status).toBe('undone');
  expect(await undo()).toMatchObject({ why: 'undone', asksAbout: { id: older } });
});

it('A refused undo says what prevents it and who is left, and undoes the rest by its button', async () => {
  refuse('2');
  const card = await say({});
  const text = cardText(card);
  expect(text).toContain(EN.gate.undoneInPartTitle);
  expect(text).toContain(EN.gate.undoneInPart);
  expect(text).toContain(EN.gate.blockers['role-too-high']);
  expect(text).toContain(`${EN.gate.notRestored}: 2`);
  expect(text).not.toContain(EN.gate.undoneAbout);
  const button = card.actions[0]?.[0];
  expect(button).toMatchObject({ call: { command: 'gate', args: { rule: newer } } });
  expect(cardText(await say({}))).toContain(EN.gate.undoAsks['undo-partial']);
  allow();
  expect(cardText(await say({ rule: newer }))).toContain(EN.gate.undoneAbout);
});

it('A refused undo removes nothing from members who were restored and got it by another run since', async () => {
  refuse('2');
  await undo();
  allow();
  const [rule] = await guild.gated.gating.rulesOf(guild.community);
  await guild.gated.gating.unpause(guild.community, rule?.id ?? '', MODERATOR);
  await guild.pass();
  expect(guild.adapter.holders(ROLE)).toContain('2');
  await undo(newer);
  expect(guild.holders()).toEqual(['1', '2']);
});

it("A refused undo settles what is no longer the run's: it says so, and doesn't offer it again", async () => {
  guild.adapter.admins.add('3');
  const card = await say({});
  const text = cardText(card);
  expect(text).toContain(EN.gate.undoneAsIs);
  expect(text).toContain(`${EN.gate.notRestored}: 1`);
  expect((await guild.store.gating.run(newer))?.status).toBe('undone');
});

it('An undo is complete although the role is deleted just before it takes it', async () => {
  guild.adapter.before = (call) => (call.startsWith('take') ? 'no-role' : undefined);
  const text = cardText(await say({}));
  expect(text).not.toContain(EN.gate.undoneInPartTitle);
  expect(text).not.toContain(EN.gate.refusals['no-role']);
  expect((await guild.store.gating.run(newer))?.status).toBe('undone');
  expect(await undo()).toMatchObject({ why: 'undone', asksAbout: { id: older } });
});

it("An undo says that the run's rules are paused, but not of rules that are gone", async () => {
  expect(cardText(await say({}))).toContain(EN.gate.undonePaused);
  const [rule] = await guild.gated.gating.rulesOf(guild.community);
  await guild.gated.gating.remove(guild.community, rule?.id ?? '', MODERATOR);
  const text = cardText(await say({ rule: older }));
  expect(text).toContain(EN.gate.undoneAbout);
  expect(text).not.toContain(EN.gate.undonePaused);
});
