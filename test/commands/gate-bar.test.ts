import { beforeEach, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, GUILD, ROLE } from '../support/gated-community.ts';

/* What moderators are told of a bar is what it does. */

const texts = textsFor('en').gate;

let guild: GatedCommunity;

beforeEach(async () => {
  guild = new GatedCommunity(GUILD);
  await guild.rule();
  await guild.rule({ grant: '901' });
  await guild.member(2, 6_000);
});

async function say(action: 'bar' | 'unbar', role?: string): Promise<string> {
  const args = { action, member: '2', ...(role !== undefined && { role }) };
  const card = await answererWith({ gating: guild.gated.gating }).answer({
    call: { command: 'gate', args },
    caller: { platform: GUILD.platform, id: '1', community: GUILD.id },
    locale: 'en',
    isModerator: () => true,
  });
  return cardText(card);
}

const held = () => [...(guild.adapter.roles.get('2') ?? [])];

it('/gate unbar gives back one role at once, though another bar is left', async () => {
  await say('bar', ROLE);
  await say('bar', '901');
  expect(await say('unbar', ROLE)).toContain(texts.barredHere);
  expect(held()).toEqual([ROLE]);
});

it('/gate unbar of a role promises nothing while the member is barred from everything', async () => {
  await say('bar', ROLE);
  await say('bar');
  const partly = await say('unbar', ROLE);
  expect(partly).toContain(texts.unbarredInPart);
  expect(partly).not.toContain(texts.unbarredAbout);
  expect(held()).toEqual([]);
  expect(await say('unbar')).toContain(texts.unbarredAbout);
});

it('/gate bar without a role says that no role given by hand ends it', async () => {
  expect(await say('bar', ROLE)).toContain(texts.barredAboutRole);
  const all = await say('bar');
  expect(all).toContain(texts.barredAboutAll);
  expect(all).not.toContain(texts.barredAboutRole);
});
