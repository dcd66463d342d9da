import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { DiscordStandIn } from '../bench/servers/discord/stand-in.ts';
import { user } from '../bench/servers/discord/world.ts';
import { TelegramStandIn } from '../bench/servers/telegram/stand-in.ts';
import type { Person } from '../bench/servers/telegram/world.ts';
import { hasChromium, NEEDS_CHROMIUM, openPage, sharedBrowser } from './support/browser.ts';
import { answered } from './support/discord/answered.ts';
import { textOf } from './support/discord/read.ts';
import { type ServedHere, serveHere } from './support/serve-here.ts';
import { chatsUp } from './support/service.ts';
import { ethereumWallet, KEYED_WALLETS, type KeyedWallet } from './support/wallet-keys.ts';

const EN = textsFor('en');
/** Up to the name of a command, which Telegram shows with a word joiner where it isn't a link. */
const [NO_CODE] = EN.linkErrors['code-unexpected'].split('/link');

/*
 * The program as an operator starts it, with both chats and the page: what members type and press, from the
 * first /link to the end.
 */

let discord: DiscordStandIn;
let telegram: TelegramStandIn;
let service: ServedHere;

beforeAll(async () => {
  discord = new DiscordStandIn();
  await discord.open();
  telegram = await TelegramStandIn.open();
  service = await serveHere({
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    TELEGRAM_TOKEN: telegram.token,
    TELEGRAM_API_URL: telegram.apiUrl,
    WALLETCONNECT_PROJECT_ID: '0123456789abcdef0123456789abcdef',
  });
  await chatsUp(service);
});
afterAll(async () => {
  await service.stop();
  await discord.close();
  await telegram.close();
  telegram.check();
  expect(discord.faults).toEqual([]);
  // Neither one-time links nor codes get into the log.
  expect(service.output()).not.toMatch(/link#[0-9a-f]{8}/);
});

/** A chat from a member's view. */
interface Chat {
  /** Types a command. @returns the text that only they see */
  type(command: string, value?: string): Promise<string>;
}

function discordChat(): Chat {
  const by = user('member');
  return {
    async type(command, value) {
      const args =
        value === undefined
          ? {}
          : { [command === 'link' && !isAddress.test(value) ? 'code' : 'wallet']: value };
      const { seen } = await answered(() => discord.command(command, args, { by }));
      expect(seen[0]?.hidden).toBe(true);
      return textOf(seen[0]);
    },
  };
}

function telegramChat(person: Person): Chat {
  const told = () => telegram.made('sendMessage').filter((each) => each.chat_id === person.user.id);
  return {
    async type(command, value) {
      const before = told().length;
      telegram.says(person, value === undefined ? `/${command}` : `/${command} ${value}`);
      await telegram.until(() => told().length > before);
      return String(told().at(-1)?.text);
    },
  };
}

const isAddress = /^(?:0x[0-9a-fA-F]{40}|[A-Z2-7]{58}|[1-9A-HJ-NP-Za-km-z]{32,44})$/;

const addressIn = (text: string) =>
  /http:\/\/localhost:\d+\/link#[0-9a-f]{32}/.exec(text)?.[0] ?? '';

/** What the page's script does, from a separate browser. */
function browser(origin: string) {
  let cookie = '';
  return async (endpoint: string, body: object) => {
    const response = await fetch(`${origin}/link/${endpoint}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Sec-Fetch-Site': 'same-origin',
        ...(cookie !== '' && { Cookie: cookie }),
      },
      body: JSON.stringify(body),
    });
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };
}

async function signOnPage(url: string, keyed: KeyedWallet): Promise<string> {
  const [page = '', ticket] = url.split('#');
  const ask = browser(new URL(page).origin);
  expect((await ask('open', { ticket })).status).toBe(200);
  const { text = '' } = (await ask('challenge', { address: keyed.wallet.address })).body;
  const proof = await ask('proof', { form: 'message', signature: await keyed.sign(text) });
  return proof.body.code ?? JSON.stringify(proof.body);
}

describe.each(['Discord', 'Telegram'])('a member on %s', (platform) => {
  const open = () =>
    platform === 'Discord' ? discordChat() : telegramChat(telegram.world.person());

  it.each(KEYED_WALLETS)(
    'links a %s wallet through the page, sees it, and unlinks it',
    async (_, make) => {
      const keyed = make(`of ${platform}`);
      const chat = open();
      const code = await signOnPage(addressIn(await chat.type('link')), keyed);
      expect(code).toMatch(/^\d{6}$/);
      expect(await chat.type('link', code)).toContain(EN.link.linkedTitle);
      expect(await chat.type('wallets')).toContain(keyed.wallet.address);
      expect(await chat.type('rep')).toContain(keyed.wallet.address);
      expect(await chat.type('unlink', keyed.wallet.address)).toContain(EN.unlink.done);
      expect(await chat.type('wallets')).not.toContain(keyed.wallet.address);
    },
  );

  it.each(KEYED_WALLETS)('links a %s wallet without the page', async (_, make) => {
    const keyed = make(`by hand ${platform}`);
    const chat = open();
    const asked = await chat.type('link', keyed.wallet.address);
    const text = /localhost:\d+ wants you[\s\S]*?Request ID: \w+:\d+/.exec(asked)?.[0] ?? '';
    expect(await chat.type('link', await keyed.sign(text))).toContain(EN.link.linkedTitle);
    expect(await chat.type('wallets')).toContain(keyed.wallet.address);
  });

  it('is told in words what went wrong', async () => {
    const chat = open();
    expect(await chat.type('link', '123456')).toContain(NO_CODE);
    const asked = await chat.type('link', ethereumWallet('mine').wallet.address);
    const text = /localhost:\d+ wants you[\s\S]*?Request ID: \w+:\d+/.exec(asked)?.[0] ?? '';
    const another = ethereumWallet('another');
    const signature = await another.sign(text);
    const [signedBy] = EN.proofErrors['signature-other-wallet'].split('{}');
    expect(await chat.type('link', signature)).toContain(
      `${signedBy}${another.wallet.address.slice(0, 6)}`,
    );
  });
});

it('a link opened by someone else is worthless without the member who asked', async () => {
  const chat = discordChat();
  const url = addressIn(await chat.type('link'));
  const code = await signOnPage(url, ethereumWallet('victim'));
  const other = telegramChat(telegram.world.person());
  expect(await other.type('link', code)).toContain(NO_CODE);
});

it('a link preview does no harm', async () => {
  const chat = discordChat();
  const url = addressIn(await chat.type('link'));
  for (const method of ['GET', 'HEAD']) {
    const response = await fetch(url, { method });
    expect(response.status).toBe(200);
    expect(response.headers.get('set-cookie')).toBeNull();
  }
  expect(await signOnPage(url, ethereumWallet('mine'))).toMatch(/^\d{6}$/);
});

it("an operator's WalletConnect project is on the page, which may connect to its relay", async () => {
  const page = await fetch(`${service.url}/link`);
  expect(page.headers.get('content-security-policy')).toContain(
    "connect-src 'self' wss://relay.walletconnect.org;",
  );
  expect(await page.text()).toContain('0123456789abcdef0123456789abcdef');
  expect((await fetch(`${service.url}/link/sign-client.js`)).status).toBe(200);
});

it('nothing about links shows in the API', async () => {
  const chat = telegramChat(telegram.world.person());
  const keyed = ethereumWallet('unseen');
  await chat.type('link', await signOnPage(addressIn(await chat.type('link')), keyed));
  const answer = await fetch(`${service.url}/v1/reputation/${keyed.wallet.address}`);
  expect(answer.status).toBe(404);
});

it.runIf(hasChromium)(
  `a real browser links a wallet that is injected into it${NEEDS_CHROMIUM}`,
  async () => {
    const chat = discordChat();
    const url = addressIn(await chat.type('link'));
    const { page, faults, close } = await openPage(await sharedBrowser());
    try {
      await injectEthereum(page, ethereumWallet('injected'));
      await page.goto(url);
      expect(page.url()).not.toContain('#');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Test wallet' }).click();
      await page.getByRole('button', { name: /^Sign with/ }).click();
      const code = /\d{6}/.exec(String(await page.getByText(/^\d{6}$/).textContent()))?.[0] ?? '';
      expect(await chat.type('link', code)).toContain(EN.link.linkedTitle);
      expect(faults).toEqual([]);
    } finally {
      await close();
    }
  },
);

/** A wallet that announces itself by EIP-6963 and signs with a real key. */
async function injectEthereum(page: Page, keyed: KeyedWallet): Promise<void> {
  await page.exposeFunction('signWithKey', (text: string) => keyed.sign(text));
  await page.addInitScript({
    content: `
      const provider = {
        async request({ method, params }) {
          if (method === 'eth_requestAccounts') return ['${keyed.wallet.address}'];
          if (method !== 'personal_sign') throw new Error('unexpected: ' + method);
          const bytes = params[0].slice(2).match(/../g).map((hex) => Number.parseInt(hex, 16));
          return await window.signWithKey(new TextDecoder().decode(Uint8Array.from(bytes)));
        },
      };
      const info = { uuid: crypto.randomUUID(), name: 'Test wallet', icon: '', rdns: 'org.example' };
      const detail = Object.freeze({ info, provider });
      const announce = () =>
        window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
      window.addEventListener('eip6963:requestProvider', announce);
      announce();`,
  });
}
