import type { InlineKeyboardMarkup } from 'grammy/types';
import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { panelCard } from '#gating/panel/panels';
import { NotSent } from '#gating/platform';
import { ADMIN } from '../../../../bench/servers/telegram/seats.ts';
import { answererWith } from '../../../support/ask.ts';
import { keptLog } from '../../../support/telegram/bot.ts';
import { KeptGate } from '../../../support/telegram/gate.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const cardIn = (language: string) =>
  panelCard([], { isLadder: false, walletMode: 'best' }, textsFor(language));

async function posted(kind: 'group' | 'channel') {
  const bot = start({ answerer: answererWith(), gate: new KeptGate(), log: keptLog() });
  const { communityAdapter } = bot;
  await telegram().until(() => bot.invitation() !== undefined);
  const { world } = telegram();
  const chat = kind === 'group' ? world.group({ bot: ADMIN }) : world.channel({ bot: ADMIN });
  const id = String(chat.id);
  const outcome = await communityAdapter.post?.(id, id, cardIn('en'), 'panel-1');
  const message = outcome !== undefined && 'message' in outcome ? outcome.message : '';
  return { communityAdapter, chat: chat.id, id, message, world };
}

it.each(['group', 'channel'] as const)(
  'A panel leads from a %s to the private chat',
  async (kind) => {
    const { id } = await posted(kind);
    const [sent] = telegram().made('sendMessage');
    expect(sent).toMatchObject({ disable_notification: true });
    const keyboard = sent?.reply_markup as InlineKeyboardMarkup | undefined;
    const rows = keyboard?.inline_keyboard ?? [];
    expect(rows.flat().map((each) => ('url' in each ? each.url : each))).toEqual(
      ['link', `access_${id}`, `rep_${id}`].map((command) =>
        expect.stringMatching(new RegExp(`^https://t\\.me/\\w+\\?start=${command}$`)),
      ),
    );
  },
);

it('A panel in Telegram is edited, pinned without a notification, and deleted', async () => {
  const { communityAdapter, id, chat, message, world } = await posted('group');
  expect(await communityAdapter.editPost?.(id, id, message, cardIn('es'))).toBe('done');
  expect(world.find(chat, Number(message))?.text).toContain(textsFor('es').panel.title);
  // Telegram refuses an edit that changes nothing.
  expect(await communityAdapter.editPost?.(id, id, message, cardIn('es'))).toBe('done');
  await communityAdapter.pinPost?.(id, message);
  expect(telegram().made('pinChatMessage')).toMatchObject([{ disable_notification: true }]);
  expect(await communityAdapter.deletePost?.(id, id, message)).toBe(true);
  expect(await communityAdapter.deletePost?.(id, id, message)).toBe(true);
  expect(await communityAdapter.editPost?.(id, id, message, cardIn('es'))).toBe('gone');
});

it('A panel in Telegram does without rights to pin or delete', async () => {
  const { communityAdapter, id, message } = await posted('group');
  const description = 'Bad Request: not enough rights to manage pinned messages in the chat';
  telegram().cause('pinChatMessage', { status: 400, description });
  await communityAdapter.pinPost?.(id, message);
  telegram().cause('deleteMessage', {
    status: 400,
    description: "Bad Request: message can't be deleted for everyone",
  });
  expect(await communityAdapter.deletePost?.(id, id, message)).toBe(false);
  expect(await communityAdapter.editPost?.(id, id, message, cardIn('es'))).toBe('done');
});

it('A panel in Telegram waits for the connection, before which nobody knows where the buttons lead', async () => {
  telegram().cause('getMe', { status: 502 }, 50);
  const { communityAdapter } = start({
    answerer: answererWith(),
    gate: new KeptGate(),
    log: keptLog(),
  });
  const id = String(telegram().world.group({ bot: ADMIN }).id);
  await expect(communityAdapter.post?.(id, id, cardIn('en'), 'panel-1')).rejects.toThrow(NotSent);
});

it('A panel in Telegram names the bot that its links lead to, once that is known', async () => {
  telegram().cause('getMe', { status: 502 });
  const bot = start({ answerer: answererWith(), gate: new KeptGate(), log: keptLog() });
  const { communityAdapter } = bot;
  expect(communityAdapter.botName?.()).toBeUndefined();
  await telegram().until(() => bot.invitation() !== undefined);
  expect(communityAdapter.botName?.()).toBe(telegram().world.botUsername);
});
