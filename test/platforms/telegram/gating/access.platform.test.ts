import { describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { panelCard } from '#gating/panel/panels';
import { MEMBER } from '../../../../bench/servers/telegram/seats.ts';
import { GatedGroup } from '../../../support/telegram/gated-group.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const { access: words, rep } = textsFor('en');
const TO_WHALE = rep.toNext(1_810, '1,810', 'Whale');

describe('/access in Telegram', () => {
  it('tells a member of the group in private, and leaves no figure in the group', async () => {
    const group = new GatedGroup(telegram(), start);
    await group.rule();
    const whale = await group.member(5_000);
    const before = group.told(whale).length;
    telegram().says(whale, '/access', { in: group.group });
    await telegram().until(() => group.told(whale).length > before);
    expect(telegram().lastIn(whale.user).text).toContain(words.have);
    const inGroup = telegram().sentTo(group.group);
    expect(inGroup.filter(({ text }) => text.includes(words.title))).toEqual([]);
  });

  it('tells someone outside what the group they ask to join is still waiting for', async () => {
    const group = new GatedGroup(telegram(), start);
    await group.rule();
    const shark = await group.person(3_190);
    await group.asks(shark);
    const before = group.told(shark).length;
    telegram().says(shark, '/access');
    await telegram().until(() => group.told(shark).length > before);
    const { text } = telegram().lastIn(shark.user);
    expect(text).toContain(words.missing(TO_WHALE));
  });

  it('is still about its group when its button is pressed in private', async () => {
    const group = new GatedGroup(telegram(), start);
    await group.rule();
    // Strangers can post in some groups.
    const whale = await group.person(5_000);
    telegram().says(whale, '/access', { in: group.group });
    await telegram().until(() => group.told(whale).length > 0);
    const card = telegram().lastIn(whale.user);
    expect(card.text).toContain(words.nextEntry);
    group.score(whale, 3_190);
    telegram().presses(whale, card, words.checkButton);
    await telegram().until(() => card.text.includes(words.missing(TO_WHALE)));
  });

  it('is about the group whose panel led to the private chat', async () => {
    const group = new GatedGroup(telegram(), start);
    await group.rule();
    const shark = await group.person(3_190);
    const { id } = group.group;
    telegram().world.seats.put(id, shark.user.id, MEMBER);
    const card = panelCard([], { isLadder: false, walletMode: 'best' }, textsFor('en'));
    await telegram().until(() => group.bot.invitation() !== undefined);
    await group.bot.communityAdapter.post?.(String(id), String(id), card, 'panel-1');
    const url = JSON.stringify(telegram().lastIn(group.group).keyboard);
    const [, parameter = ''] = /start=(access[\w-]*)/.exec(url) ?? [];
    telegram().says(shark, `/start ${parameter}`);
    await telegram().until(() => group.told(shark).length > 0);
    expect(telegram().lastIn(shark.user).text).toContain(words.have);
  });

  it('is about the group of a former panel also once that is a supergroup, and after a restart', async () => {
    const group = new GatedGroup(telegram(), start, { basic: true });
    await group.rule();
    const shark = await group.person(3_190);
    telegram().world.seats.put(group.group.id, shark.user.id, MEMBER);
    const former = group.group.id;
    await group.hears(() => {
      group.group = telegram().migrates(group.group);
    });
    for (const restarted of [false, true]) {
      if (restarted) await group.restart();
      const before = group.told(shark).length;
      telegram().says(shark, `/start access_${former}`);
      await telegram().until(() => group.told(shark).length > before);
      expect(telegram().lastIn(shark.user).text).toContain(words.have);
    }
  });

  it('is about the group where it was typed, also for whom the bot cannot write to yet', async () => {
    const group = new GatedGroup(telegram(), start);
    await group.rule();
    const stranger = telegram().world.person({ started: false });
    telegram().says(stranger, '/access', { in: group.group });
    await telegram().until(() => telegram().sentTo(group.group).length > 0);
    const link = JSON.stringify(telegram().lastIn(group.group).keyboard);
    expect(link).toContain(`start=access_${group.group.id}`);
  });

  it('says at each press that it has checked, also if the card stays as it was', async () => {
    const group = new GatedGroup(telegram(), start);
    await group.rule();
    const whale = await group.person(5_000);
    telegram().says(whale, '/access', { in: group.group });
    await telegram().until(() => group.told(whale).length > 0);
    const card = telegram().lastIn(whale.user);
    const toasts = () =>
      telegram().calls.filter(
        ({ method, payload }) => method === 'answerCallbackQuery' && payload.text === words.checked,
      );
    telegram().presses(whale, card, words.checkButton);
    await telegram().until(() => toasts().length === 1);
    await telegram().until(() => card.text.includes(words.checked));
    telegram().presses(whale, card, words.checkButton);
    await telegram().until(() => toasts().length === 2);
  });
});
