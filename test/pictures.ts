import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { fillWithDemo } from '#app/demo/demo-data';
import { withNames } from '#app/demo/made-up-server';
import type { Card } from '#command/cards/card';
import type { LeaderboardPage } from '#reputation/api-records';
import { TIERS, type Tier } from '#reputation/tier';
import { TEMPLATE_NAMES } from '#scoring/rules-file/templates/template';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { DiscordStandIn } from '../bench/servers/discord/stand-in.ts';
import { missingAnvil, startAnvil } from './sources/anvil/node.ts';
import { DAY_0, playReef } from './sources/anvil/reef.ts';
import { announcedRise } from './support/announced-rise.ts';
import { openBrowser, openPage } from './support/browser.ts';
import { DOWN, ENTER, inTerminal, SPACE } from './support/in-terminal.ts';
import { openLinkPage } from './support/link-page.ts';
import { linkingWith, PUBLIC_URL } from './support/linking.ts';
import { cardOf, DEMO_AT, openPlayground } from './support/playground.ts';
import { openPublicPages } from './support/public-pages.ts';
import { TerminalScreen } from './support/terminal-screen.ts';

/**
 * Makes the pictures of the README and the guides: real answers about the demo data and a made-up server, drawn by the
 * playground. Run `bin/node test/pictures.ts OUTDIR` by hand when the cards have changed.
 */

/** CSS pixels of a phone; every one becomes two. */
const PHONE = { width: 390, height: 844 };

/** Letters in a row of the terminal. */
const COLUMNS = 110;

/** Lucia, a Shark of the made-up server. */
const RISING = '2005';

/** Bytes, in full colour: with fewer colours, water and light would show bands. */
const MAX_SIZE = 450_000;

/** Announces itself and its address; it never has to sign. */
const WALLET = `
  const provider = { request: async () => ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'] };
  const info = { uuid: crypto.randomUUID(), name: 'My wallet', icon: '', rdns: 'org.example' };
  const detail = { info, provider };
  window.addEventListener('eip6963:requestProvider', () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })),
  );`;

const [, , folder] = process.argv;
if (folder === undefined) {
  console.error('usage: bin/node test/pictures.ts OUTDIR');
  process.exit(2);
}
mkdirSync(join(folder, 'moderate'), { recursive: true });
const service = await openPlayground({ hasPictures: true });
const browser = await openBrowser();
try {
  const wallet = await firstWallet(browser);
  await chatCard('rep-discord', `/rep ${wallet}`);
  await chatCard('why-discord', `/why ${wallet}`);
  await walk();
  await init();
  await wholePage(wallet);
  await rankCards();
  await linkPage();
  await publicPages();
} finally {
  await browser.close();
  await service.close();
}

/** What a command shows in Discord, at a phone's width. */
async function chatCard(name: string, command: string): Promise<void> {
  const options = { viewport: PHONE, deviceScaleFactor: 2, colorScheme: 'dark' } as const;
  const { page } = await openPage(browser, options);
  await page.goto(`${service.url}/?q=${encodeURIComponent(command)}`);
  await page.locator('input[value=discord]').check({ force: true });
  await page.locator('#discord img').last().waitFor();
  await asTallAsContent(page.locator('#discord'));
  keep(name, await page.locator('#discord').screenshot());
  await page.context().close();
}

/** From `/gate setup` to the first announcement, on the made-up server. */
async function walk(): Promise<void> {
  const { page, chat, answered } = await openChat(service.url, '/gate list');
  const say = async (line: string) => {
    await page.locator('#q').fill(line);
    await page.locator('#q').press('Enter');
    await answered();
  };
  const show = async (name: string) => keep(name, await chat.screenshot());
  // As on a server that has no rules yet.
  const ids = await chat.locator('code').allTextContents();
  for (const id of ids) await say(`/gate remove rule:${id}`);
  await say('/gate setup channel:#moderators panel:#roles');
  await show('moderate/1-setup');
  await chat.getByRole('button', { name: 'Set up', exact: true }).click();
  await page.mouse.move(0, 0);
  await answered();
  await show('moderate/2-made');
  await say('/gate run');
  await show('moderate/3-run');
  await say('/access');
  await show('moderate/4-access');
  await say('/gate announce channel:#general');
  await show('moderate/5-announce');
  await page.context().close();
  await announcement('moderate/6-risen');
}

/** What the server posts once a member has risen; nobody has asked for it. */
async function announcement(name: string): Promise<void> {
  const cards: Card[] = [];
  const answer = async () => cards[0] ?? cardOf({});
  const answerer = { commands: [], suggest: async () => [], answer };
  const server = await openPlayground({ hasPictures: true, answerer });
  const { store, source, pictureOf } = server;
  if (pictureOf === undefined) throw new Error('nothing is drawn');
  const wallet = createWalletParser(chains).parse(await walletOf('Shark'));
  const parts = { store, source, pictureOf, member: RISING, wallet, points: 3_000 };
  cards.push(withNames(await announcedRise(parts)));
  // The first picture takes longer than a chat waits.
  await fetch(`${server.url}/card/${wallet.address}.png`);
  const { page, chat } = await openChat(server.url, '/');
  await chat.locator('.d-used').evaluate((line) => line.remove());
  await chat.locator('img[src*="/card/"]').waitFor();
  await page.waitForLoadState('networkidle');
  keep(name, await chat.screenshot());
  await page.context().close();
  await server.close();
}

/** Discord on a phone, in light, with the answer to a command. */
async function openChat(url: string, command: string) {
  const options = { viewport: PHONE, deviceScaleFactor: 2, colorScheme: 'light' } as const;
  const { page } = await openPage(browser, options);
  await page.goto(`${url}/?q=${encodeURIComponent(command)}`);
  await page.locator('input[value=discord]').check({ force: true });
  const chat = page.locator('#discord');
  await chat.locator('.d-message').waitFor();
  await asTallAsContent(chat);
  const answered = () => page.locator('#discord:not([aria-busy])').waitFor();
  return { page, chat, answered };
}

/** On the page a chat fills the screen. */
async function asTallAsContent(chat: Locator): Promise<void> {
  await chat.evaluate((host) => {
    host.style.minHeight = '0';
  });
}

/** `fathom init` with a Governor on a chain of its own, and the guests of an event: what it prints. */
async function init(): Promise<void> {
  if (missingAnvil !== undefined) throw new Error(missingAnvil);
  const discord = new DiscordStandIn();
  await discord.open();
  const anvil = await startAnvil(DAY_0);
  const { contracts } = await playReef(anvil.url);
  await fetch(anvil.url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_setChainId', params: [1] }),
    headers: { 'content-type': 'application/json' },
  });
  const cwd = join(tmpdir(), 'fathom');
  mkdirSync(cwd);
  const env = { FATHOM_ENV_FILE: join(cwd, '.env'), DISCORD_API_URL: discord.apiUrl };
  const guests = TEMPLATE_NAMES.indexOf('event-guests');
  const { output } = await inTerminal(
    { cwd, env, columns: COLUMNS },
    ['init'],
    [
      ['Where should data be kept?', ENTER],
      ['Which bots should run?', SPACE + ENTER],
      ['Discord: the bot', discord.token + ENTER],
      ['What should count?', SPACE + DOWN.repeat(guests) + SPACE + ENTER],
      ['What is your community called?', `Reef${ENTER}`],
      ['On which chain?', ENTER],
      ['URL of a node', anvil.url + ENTER],
      ['URL of a second node', ENTER],
      ['Address of the Governor', contracts.governor + ENTER],
      ['Points for a vote', ENTER],
      ['Points for a proposal', ENTER],
      ['Name of the imported event', ENTER],
      ['Points for each event attended', ENTER],
      ['Write ', ENTER],
    ],
  );
  await anvil.remove();
  await discord.close();
  rmSync(cwd, { recursive: true });
  const screen = new TerminalScreen(COLUMNS);
  // What doctor says then is as long again.
  screen.write(output.slice(0, output.indexOf('Wrote ')));
  const { page } = await openPage(browser, { viewport: { width: 1000, height: 1000 } });
  await page.setContent(`<style>
    pre { margin: 0; padding: 16px; width: max-content; background: #16181d; color: #e6e6e6; font: 15px/1.35 monospace }
    .dim { color: #9097a3 } .cyan { color: #5cc8d7 } .green { color: #7fce85 }
    .yellow { color: #e2c069 } .magenta { color: #c79be0 }
  </style><pre>${screen.html}</pre>`);
  keep('init', await page.locator('pre').screenshot());
  await page.context().close();
}

/** A wallet of each tier, and one of them in light and in Spanish. */
async function rankCards(): Promise<void> {
  const { page } = await openPage(browser, { viewport: { width: 1010, height: 812 } });
  const looks = ['', '', '', '', '', '?theme=light&lang=es'];
  const wallets = await Promise.all([...TIERS, 'Whale' as const].map(walletOf));
  const cards = wallets.map((address, i) => `${service.url}/card/${address}.png${looks[i]}`);
  await page.setContent(
    `<body style="margin:0;display:grid;grid-template-columns:1fr 1fr;gap:10px">${cards
      .map((url) => `<img src="${url}" width="500" height="263" style="border-radius:10px">`)
      .join('')}</body>`,
  );
  await page.waitForLoadState('networkidle');
  keep('rank-cards', await page.screenshot());
  await page.context().close();
}

/** One with badges, among the first few hundred of its tier. */
async function walletOf(tier: Tier): Promise<string> {
  for (let offset = 0; ; offset += 500) {
    const answer = await fetch(`${service.url}/v1/leaderboard?limit=500&offset=${offset}`);
    const { leaderboard } = (await answer.json()) as LeaderboardPage;
    const found = leaderboard
      .filter((each) => each.tier === tier)
      .toSorted((a, b) => b.badges - a.badges)[0];
    if (found !== undefined || leaderboard.length === 0) return found?.address ?? '';
  }
}

/** The whole page, as a newcomer sees it. */
async function wholePage(wallet: string): Promise<void> {
  const { page } = await openPage(browser, {
    viewport: { width: 1280, height: 1000 },
    colorScheme: 'light',
  });
  await page.goto(`${service.url}/?q=${encodeURIComponent(`/rep ${wallet}`)}`);
  await page.locator('#examples button').last().waitFor();
  await page.locator('#telegram img').last().waitFor();
  keep('playground', await page.screenshot());
  await page.context().close();
}

/** The link page on a phone, with the text to sign. */
async function linkPage(): Promise<void> {
  const linking = linkingWith();
  const member = {
    platform: 'discord',
    id: '80351110224678912',
    name: 'Marina',
    username: 'marina.b',
  } as const;
  const { url } = await linking.of(member).begin();
  const at = await openLinkPage({ service: linking.page });
  const { page } = await openPage(browser, {
    viewport: PHONE,
    deviceScaleFactor: 2,
    colorScheme: 'light',
  });
  await page.addInitScript({ content: WALLET });
  await page.goto(url.replace(PUBLIC_URL, at.url));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'My wallet' }).click();
  await page.getByRole('button', { name: /^Sign with/ }).waitFor();
  keep('link-page', await page.screenshot({ fullPage: true }));
  await page.context().close();
  await at.close();
}

/** Public pages: that of a wallet with rules, badges and a history, and the statistics. */
async function publicPages(): Promise<void> {
  const pages = await openPublicPages({}, undefined, (store) => fillWithDemo(store, DEMO_AT));
  const board = await pages.html('/leaderboard');
  const wallet = /\/wallet\/\w+/.exec(board)?.[0] ?? '';
  for (const [name, path, colorScheme] of [
    ['wallet-page', wallet, 'light'],
    ['stats-page', '/stats', 'dark'],
  ] as const) {
    const viewport = { width: 1280, height: 1000 };
    const { page } = await openPage(browser, { viewport, colorScheme });
    await page.goto(pages.url + path);
    await page.locator('svg.plot').first().waitFor();
    await page.waitForLoadState('networkidle');
    keep(name, await page.screenshot({ fullPage: path === '/stats' }));
    await page.context().close();
  }
  await pages.close();
}

function keep(name: string, png: Buffer): void {
  const path = join(folder as string, `${name}.png`);
  console.log(`${path}: ${Math.round(png.length / 1000)} KB`);
  if (png.length > MAX_SIZE) throw new Error(`${path} is larger than ${MAX_SIZE} bytes`);
  writeFileSync(path, png);
}

/** The first example's wallet: one of the best, with a name. */
async function firstWallet(from: Browser): Promise<string> {
  const { page } = await openPage(from);
  await page.goto(service.url);
  const title = await page.locator('#examples button').first().getAttribute('title');
  await page.context().close();
  return title?.split(' ')[1] ?? '';
}
