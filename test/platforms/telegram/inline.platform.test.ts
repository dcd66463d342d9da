import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import type { Payload } from '../../../bench/servers/telegram/rules.ts';
import { answererWith } from '../../support/ask.ts';
import { TITAN, UNSEEN, WHALE } from '../../support/fixed-source.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const EN = textsFor('en');

const { telegram, start } = useTelegram();

async function ask(text: string, person = telegram().world.person()): Promise<Payload> {
  return await telegram().answerTo(telegram().asksInline(person, text));
}

function titles(answer: Payload): string[] {
  return (answer.results as { title: string }[]).map((each) => each.title);
}

it("Inline mode offers an address's card", async () => {
  start();
  const answer = await ask(` ${WHALE.address}`);
  expect(answer).toMatchObject({ is_personal: true, cache_time: 10 });
  expect(answer.results).toMatchObject([
    {
      type: 'article',
      description: expect.stringContaining('7,420'),
      input_message_content: {
        message_text: expect.stringContaining('7,420'),
        link_preview_options: { is_disabled: true },
      },
    },
  ]);
});

it('Inline mode finds wallets by name', async () => {
  start();
  expect(titles(await ask('levia'))).toEqual([expect.stringContaining('leviathan.sol')]);
});

it('Inline mode offers the leaderboard, and above it recently viewed wallets', async () => {
  start();
  const person = telegram().world.person();
  await ask(WHALE.address, person);
  const [top, recent, ...others] = titles(await ask('', person));
  expect(top).toContain('Leaderboard');
  expect(recent).toContain('vera.eth');
  expect(others.length).toBeGreaterThan(3);
  // Something merely suggested doesn't count as recent.
  expect(titles(await ask('', person)).slice(0, 3)).toEqual([top, recent, others[0]]);
});

it('Inline mode offers help if there is nothing to offer', async () => {
  start();
  const nothing = { results: [], button: { start_parameter: 'help' } };
  expect(await ask('no such name anywhere')).toMatchObject(nothing);
  expect(await ask(`0x${'aB'.repeat(20)}`)).toMatchObject(nothing);
});

it('Inline mode says that a wallet was never seen', async () => {
  start();
  expect(titles(await ask(UNSEEN.address))).toEqual([expect.stringContaining(EN.neverSeen.title)]);
});

it('Inline mode edits a sent card for its sender', async () => {
  start();
  const [person, other] = [telegram().world.person(), telegram().world.person()];
  const query = telegram().asksInline(person, TITAN.address);
  await telegram().answerTo(query);
  const { inlineId, kept } = telegram().choosesInline(query, 0);
  const refusal = await telegram().answerTo(telegram().presses(other, { inlineId }, 'Badges'));
  expect(refusal.text).toContain(EN.errors.notYours);
  await telegram().answerTo(telegram().presses(person, { inlineId }, 'Badges'));
  expect(await telegram().nth('editMessageText', 1)).toMatchObject({ inline_message_id: inlineId });
  expect(kept.text).toContain(EN.badges.title(''));
});

it('Inline mode never shows a private card in a public message', async () => {
  const answerer = answererWith();
  start({ answerer });
  const person = telegram().world.person({ started: false });
  const query = telegram().asksInline(person, '');
  await telegram().answerTo(query);
  const { inlineId } = telegram().choosesInline(query, 0);
  // A button's data for /apikey create, as /apikey itself makes it.
  const answer = await telegram().answerTo(telegram().presses(person, { inlineId }, 'k!create'));
  expect(answer).toMatchObject({ url: 'https://t.me/fathom_bot?start=apikey' });
  expect(telegram().made('editMessageText')).toHaveLength(0);
});
