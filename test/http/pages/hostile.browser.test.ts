import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Card } from '#command/cards/card';
import { commands } from '#commands/index';
import type { PlaygroundOptions } from '#http/pages/playground/playground';
import { hasChromium, NEEDS_CHROMIUM, openPage, sharedBrowser } from '../../support/browser.ts';
import { cardOf, openPlayground } from '../../support/playground.ts';

const NASTY = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '**bold** __under__ *it* ~~no~~ ||spoiler||',
  '[link](https://elsewhere.example/)',
  '`code` ```block```',
  '<t:1700000000:R> <@1> @everyone',
  '-# small # big > quote',
  'back\\slash \\*star\\*',
  '&lt;b&gt; &amp; &#60;',
];

describe.runIf(hasChromium)(`texts of strangers in the playground${NEEDS_CHROMIUM}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await sharedBrowser();
  });

  /** Opens the page on a service with this answer, and checks what came of it. */
  async function shown(options: Partial<PlaygroundOptions>) {
    const service = await openPlayground(options);
    const { page, faults, requests, close } = await openPage(browser);
    await page.goto(`${service.url}/?q=/rep`);
    await page.locator('#telegram .t-message').waitFor({ state: 'attached' });
    const look = (id: string) =>
      page.locator(id).evaluate((host) => ({
        // Word joiners that only break up link-like text are invisible.
        text: (host.textContent ?? '').replaceAll('\u2060', ''),
        tags: [...new Set([...host.querySelectorAll('*')].map((each) => each.localName))],
        links: [...host.querySelectorAll('a')].map((each) => each.getAttribute('href')),
      }));
    const discord = await look('#discord');
    const telegram = await look('#telegram');
    await close();
    await service.close();
    expect(faults).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(service.url))).toEqual([]);
    return { discord, telegram };
  }

  const answering = (card: Card): Partial<PlaygroundOptions> => ({
    answerer: { commands, answer: async () => card, suggest: async () => [] },
  });

  it("a card's link leads to its page in both chats", async () => {
    const url = 'https://etherscan.io/tx/0xab_(1)_*';
    const spans = ['text ', { link: 'Transaction', url }];
    const { discord, telegram } = await shown(
      answering(cardOf({ blocks: [{ kind: 'text', spans }] })),
    );
    for (const { text } of [discord, telegram]) expect(text).toContain('text Transaction');
    expect(discord.links).toEqual(['https://etherscan.io/tx/0xab_%281%29_*']);
    expect(telegram.links).toEqual([url]);
  });

  it.each(NASTY)('%s is shown as it is', async (text) => {
    const card = cardOf({
      title: `title ${text}`,
      blocks: [
        { kind: 'text', spans: [`text ${text}`, { bold: `bold ${text}` }] },
        { kind: 'entries', entries: [{ title: [text], detail: [`detail ${text}`] }] },
        { kind: 'facts', facts: [{ label: text, value: [`value ${text}`] }] },
      ],
      actions: [[{ label: `press ${text}`.slice(0, 40), call: { command: 'stats', args: {} } }]],
    });
    const { discord, telegram } = await shown(answering(card));
    for (const { text: seen, tags, links } of [discord, telegram]) {
      for (const before of ['title', 'text', 'bold', 'detail', 'value']) {
        expect(seen).toContain(`${before} ${text}`);
      }
      expect(seen).toContain(`press ${text}`.slice(0, 40));
      expect(links).toEqual([]);
      const allowed = [
        'article',
        'br',
        'button',
        'div',
        'h3',
        'h4',
        'img',
        'p',
        'small',
        'span',
        'strong',
      ];
      expect(tags.filter((tag) => !allowed.includes(tag))).toEqual([]);
    }
  });

  it('messages that none of our renderers makes do no harm either', async () => {
    const evil = '"><script>alert(1)</script>';
    const { discord, telegram } = await shown({
      ...answering(cardOf({})),
      previews: [
        {
          id: 'discord',
          label: 'Discord',
          codeOf: (data) => data,
          render: () => ({
            content: evil,
            embeds: [
              { title: evil, description: `[x](javascript:alert(1)) ${evil}`, color: 0x123456 },
            ],
            components: [
              {
                type: 1,
                components: [
                  { type: 2, style: 5, label: evil, url: 'javascript:alert(1)' },
                  { type: 2, style: 5, label: 'web', url: 'https://example.org/' },
                  { type: 99, label: 'unknown' },
                ],
              },
            ],
          }),
        },
        {
          id: 'telegram',
          label: 'Telegram',
          codeOf: (data) => data,
          render: () => ({
            text: `${evil} link 😀 bold`,
            entities: [
              { type: 'text_link', offset: 28, length: 4, url: 'javascript:alert(1)' },
              { type: 'bold', offset: 36, length: 4 },
              { type: 'italic', offset: 36, length: 4_000 },
              { type: 'invented', offset: 0, length: 2 },
            ] as { type: string; offset: number; length: number }[],
            reply_markup: {
              inline_keyboard: [
                [
                  { text: evil, url: 'data:text/html,x' },
                  { text: 'odd', pay: true },
                ],
              ],
            },
          }),
        },
      ],
    });
    expect(discord.links).toEqual(['https://example.org/']);
    expect(discord.text).toContain(evil);
    expect(discord.text).toContain('[x](javascript:alert(1))');
    expect(telegram.links).toEqual([]);
    expect(telegram.text).toContain(`${evil} link 😀 bold`);
    for (const { tags } of [discord, telegram]) expect(tags).not.toContain('script');
  });
});
