import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLATFORMS } from '#app/config';
import { type Profile, WEB } from '#command/account';
import { wordsFor } from '#http/pages/words/index';
import { openLinkPage, type TestLinkPage } from '../../../support/link-page.ts';

let at: TestLinkPage;
beforeAll(async () => {
  at = await openLinkPage();
});
afterAll(() => at.close());

describe('the account on the link page', () => {
  const accountOf = async (account: Profile) => {
    const answer = await fetch(`${at.url}/link/look`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ticket: at.service.begin({ account }) }),
    });
    return ((await answer.json()) as { account: Record<string, string> }).account;
  };

  it('has names that are safe to show', async () => {
    const evil = `\u202eevil\u0000${'x'.repeat(200)}`;
    const shown = await accountOf({ platform: 'telegram', id: '7', name: evil, username: evil });
    expect(shown.name).toMatch(/^evilx{59}…$/);
    expect(shown.username).toMatch(/^evilx{59}…$/);
    const nameless = await accountOf({ platform: 'telegram', id: '7' });
    const names = { name: '', username: '' };
    expect(nameless).toEqual({ platform: 'Telegram', codeEntry: 'message', id: '7', ...names });
  });

  it('says how its code reaches the bot, also where the page knows no such platform', async () => {
    const { type } = wordsFor(['en']).link.browser;
    const platforms = [...PLATFORMS.map(({ id }) => id), WEB, 'retired'];
    for (const platform of platforms) {
      const { codeEntry } = await accountOf({ platform, id: '7' });
      expect(type).toHaveProperty(codeEntry as string);
    }
  });

  it.each([
    ['https://cdn.discordapp.com/avatars/7/a.png?size=64', true],
    ['https://cdn.discordapp.com.evil.example/a.png', false],
    ['http://cdn.discordapp.com/a.png', false],
    ['javascript:alert(1)', false],
  ])('has a picture from the platform only: %s', async (avatar, isShown) => {
    const { avatar: shown } = await accountOf({ platform: 'discord', id: '7', avatar });
    expect(shown).toBe(isShown ? avatar : undefined);
  });
});
