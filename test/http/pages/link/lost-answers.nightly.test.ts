import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WalletLinking } from '#app/members/linking';
import type { Caller } from '#command/account';
import { wordsFor } from '#http/pages/words/index';
import { axeViolations } from '../../../support/axe.ts';
import { hasChromium, NEEDS_CHROMIUM } from '../../../support/browser.ts';
import {
  askedOf,
  FAULTS,
  goOn,
  LinkBrowser,
  seesCode,
  signWith,
  stopClock,
  type TestWallet,
  WORDS,
  warns,
} from '../../../support/link-browser.ts';
import { ethereumKey } from '../../../support/link-keys.ts';
import { openLinkPage, type TestLinkPage } from '../../../support/link-page.ts';
import { ticketOf } from '../../../support/link-scene.ts';
import { linkingWith } from '../../../support/linking.ts';

const WALLET: TestWallet = { protocol: 'eip-6963', name: 'Eth', keys: [ethereumKey(1)] };
const OTHER: TestWallet = { protocol: 'eip-6963', name: 'Other', keys: [ethereumKey(2)] };
const MEMBER: Caller = { platform: 'discord', id: '80351110224678912', username: 'marina.b' };

const { link: SPANISH } = wordsFor(['es']);

const atStep = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name }).click();

/** The service receives the next request, but the page gets no response. */
async function loseAnswer(page: Page, path: string): Promise<void> {
  const lose = async (route: Route) => {
    await route.fetch();
    // The response fetched on the page's behalf would still set its cookie.
    if (path === 'open') await page.context().clearCookies();
    await route.abort();
  };
  await page.route(`**/link/${path}`, lose, { times: 1 });
}

async function codeOn(page: Page): Promise<string> {
  const code = page.locator('#code', { hasText: /^\d{6}$/ });
  await code.waitFor();
  return (await code.textContent()) ?? '';
}

describe.runIf(hasChromium)(`the page with the real linking behind it${NEEDS_CHROMIUM}`, () => {
  const link = new LinkBrowser();
  let linking: WalletLinking;
  let at: TestLinkPage;

  beforeAll(async () => {
    linking = linkingWith();
    at = await openLinkPage({ service: linking.page });
  });
  afterAll(async () => {
    await at.close();
    await linking.stop();
  });

  /** A new member each, as a member may only begin so often. */
  let members = 0;
  async function begun(): Promise<{ readonly ticket: string; readonly caller: Caller }> {
    members += 1;
    const caller = { ...MEMBER, id: `${MEMBER.id}${members}` };
    return { ticket: ticketOf((await linking.of(caller).begin()).url), caller };
  }

  it('opens its link again if the first response was lost', async () => {
    const { ticket, caller } = await begun();
    const page = await link.enter({ at, ticket, wallets: [WALLET] });
    await loseAnswer(page, 'open');
    await press(page, 'Eth');
    await warns(page, FAULTS.unreachable);
    await press(page, 'Eth');
    await press(page, signWith('Eth'));
    const code = await codeOn(page);
    const { outcome } = await linking.of(caller).confirm(code);
    expect(outcome).toMatchObject({ kind: 'linked' });
  });

  it('opens it again after a reload too', async () => {
    const { ticket } = await begun();
    const page = await link.enter({ at, ticket, wallets: [WALLET] });
    await loseAnswer(page, 'open');
    await press(page, 'Eth');
    await warns(page, FAULTS.unreachable);
    await page.reload();
    await atStep(page, WORDS.wallets.title);
    await press(page, 'Eth');
    await atStep(page, WORDS.sign.title);
  });

  it('shows the code of a signature whose response was lost, without asking the wallet again', async () => {
    const { ticket } = await begun();
    const page = await link.choose({ at, ticket, wallets: [WALLET] });
    await loseAnswer(page, 'proof');
    await press(page, signWith('Eth'));
    await warns(page, FAULTS.unreachable);
    await press(page, signWith('Eth'));
    await codeOn(page);
    expect(await askedOf(page)).toEqual(['eth_requestAccounts', 'personal_sign']);
  });

  it('says that a signature was rejected if the rejection was lost', async () => {
    const { ticket } = await begun();
    const wallets = [{ ...WALLET, does: ['wrong'] }];
    const page = await link.choose({ at, ticket, wallets });
    const text = await page.locator('#text').textContent();
    await loseAnswer(page, 'proof');
    await press(page, signWith('Eth'));
    await warns(page, FAULTS.unreachable);
    await press(page, signWith('Eth'));
    await warns(page, FAULTS['signature-lost']);
    expect(await page.locator('#text').textContent()).not.toBe(text);
    await press(page, signWith('Eth'));
    await codeOn(page);
  });

  /** Another tab with the same link, about to get a text for another address. */
  async function otherTab(page: Page, ticket: string): Promise<Page> {
    const other = await page.context().newPage();
    await other.goto(`${at.url}/link#${ticket}`);
    await goOn(other);
    await other.getByLabel(WORDS.wallets.address).fill(ethereumKey(2).address);
    return other;
  }

  async function getText(other: Page): Promise<void> {
    await other.keyboard.press('Enter');
    await atStep(other, WORDS.sign.title);
  }

  it("tells a tab at once that only another one's text counts", async () => {
    const { ticket } = await begun();
    const page = await link.choose({ at, ticket, wallets: [WALLET] });
    const other = await otherTab(page, ticket);
    await getText(other);
    await atStep(page, WORDS.wallets.title);
    await warns(page, FAULTS['other-tab']);
    await press(page, 'Eth');
    await atStep(page, WORDS.sign.title);
    await warns(other, FAULTS['other-tab']);
  });

  it("sends nobody to another account's text in another tab", async () => {
    const page = await link.choose({ at, ticket: (await begun()).ticket, wallets: [WALLET] });
    await getText(await otherTab(page, (await begun()).ticket));
    await press(page, signWith('Eth'));
    await warns(page, FAULTS['other-account']);
    await atStep(page, WORDS.over.title);
  });

  it('shows the code also in a second tab with the same text', async () => {
    const { ticket } = await begun();
    const page = await link.choose({ at, ticket, wallets: [WALLET] });
    const other = await page.context().newPage();
    await other.goto(`${at.url}/link#${ticket}`);
    await goOn(other);
    await other.getByLabel(WORDS.wallets.address).fill(ethereumKey(1).address);
    await getText(other);
    const text = (await other.locator('#text').textContent()) ?? '';
    await press(page, signWith('Eth'));
    const code = await codeOn(page);
    await other.getByLabel('Signature').fill(await ethereumKey(1).sign(Buffer.from(text)));
    await press(other, WORDS.sign.handIn);
    expect(await codeOn(other)).toBe(code);
  });

  it("says so after signing if tabs can't communicate, and the other one still counts", async () => {
    const { ticket } = await begun();
    const script = 'delete window.BroadcastChannel;';
    const page = await link.choose({ at, ticket, wallets: [WALLET], script });
    const other = await otherTab(page, ticket);
    await getText(other);
    await press(page, signWith('Eth'));
    await atStep(page, WORDS.wallets.title);
    await warns(page, FAULTS['other-tab']);
    const text = (await other.locator('#text').textContent()) ?? '';
    await other.getByLabel('Signature').fill(await ethereumKey(2).sign(Buffer.from(text)));
    await press(other, WORDS.sign.handIn);
    await codeOn(other);
  });

  it('says in the chat when a code has expired', async () => {
    const { ticket, caller } = await begun();
    const page = await link.choose({ at, ticket, wallets: [WALLET], beforeLoad: stopClock });
    await press(page, signWith('Eth'));
    const code = await codeOn(page);
    await page.clock.runFor(11_000);
    expect(await codeOn(page)).toBe(code);
    const wrong = code === '000000' ? '111111' : '000000';
    for (let i = 0; i < 3; i += 1) {
      await expect(linking.of(caller).confirm(wrong)).rejects.toThrow();
    }
    await page.clock.runFor(11_000);
    await atStep(page, WORDS.used.title);
    expect(await page.locator('#code').isVisible()).toBe(false);
  });

  it('says so as well when the member has started over there', async () => {
    const { ticket, caller } = await begun();
    const page = await link.choose({ at, ticket, wallets: [WALLET], beforeLoad: stopClock });
    await press(page, signWith('Eth'));
    await codeOn(page);
    await linking.of(caller).begin(true);
    await page.clock.runFor(11_000);
    await atStep(page, WORDS.used.title);
  });

  it('says so as well when another tab has started with another wallet', async () => {
    const { ticket } = await begun();
    const page = await link.choose({ at, ticket, wallets: [WALLET], beforeLoad: stopClock });
    const other = await otherTab(page, ticket);
    await press(page, signWith('Eth'));
    await codeOn(page);
    await getText(other);
    await page.clock.runFor(11_000);
    await atStep(page, WORDS.used.title);
  });
});

describe.runIf(hasChromium)('a signature that can’t be checked right now', () => {
  const link = new LinkBrowser();

  it('shows until when it retries, and retries at once on request', async () => {
    link.service.isOut = true;
    const page = await link.choose({ wallets: [WALLET] });
    await stopClock(page);
    await press(page, signWith('Eth'));
    await atStep(page, WORDS.checking.title);
    await page
      .getByText(/We keep trying until \d\d:\d\d\. After that you can sign again\./)
      .waitFor();
    await press(page, WORDS.checking.again);
    await page
      .getByText(/Last tried at \d\d:\d\d:\d\d, without an answer\./)
      .first()
      .waitFor();
    link.service.isOut = false;
    await press(page, WORDS.checking.again);
    await seesCode(page);
    expect(await askedOf(page)).toEqual(['eth_requestAccounts', 'personal_sign']);
  });

  it('says that owners are awaited, until which day, and shows the code hours later', async () => {
    link.service.isOut = true;
    link.service.isApproval = true;
    link.service.awaits = 'owners';
    const page = await link.choose({ wallets: [WALLET] });
    await stopClock(page);
    await press(page, signWith('Eth'));
    await atStep(page, WORDS.owners.title);
    await page.getByText(WORDS.owners.about).waitFor();
    await page.getByText(/We keep trying until \w+ \d+ at \d\d:\d\d\./).waitFor();
    await page.clock.fastForward('03:00:00');
    link.service.isOut = false;
    // However long an answer takes, the page looks again.
    await expect
      .poll(async () => {
        await page.clock.runFor(15_000);
        return await page.locator('#code').isVisible();
      })
      .toBe(true);
    await seesCode(page);
    expect(await askedOf(page)).toEqual(['eth_requestAccounts', 'personal_sign']);
  });

  it('says in Spanish, too, until which day owners are awaited', async () => {
    link.service.isOut = true;
    link.service.isApproval = true;
    link.service.awaits = 'owners';
    // Some browsers put a comma between day and hour.
    const script = `const own = Date.prototype.toLocaleString;
      Date.prototype.toLocaleString = function (...form) {
        return own.apply(this, form).replace(' a las ', ', ');
      };`;
    const page = await link.visit({ wallets: [WALLET], script });
    await page.getByRole('link', { name: 'Español' }).click();
    await press(page, SPANISH.start.go);
    await press(page, 'Eth');
    await press(page, signWith('Eth', 'es'));
    await atStep(page, SPANISH.owners.title);
    await page.getByText(/Lo intentamos hasta el \d+ de [a-z]+ a las \d\d:\d\d\./).waitFor();
  });

  it('goes on for the day of an approval on chain, also while a node is down', async () => {
    link.service.isOut = true;
    link.service.isApproval = true;
    const page = await link.choose({ wallets: [WALLET] });
    await stopClock(page);
    await press(page, signWith('Eth'));
    await atStep(page, WORDS.checking.title);
    await page.clock.fastForward('03:00:00');
    await page
      .getByText(/Last tried at/)
      .first()
      .waitFor();
    link.service.isOut = false;
    await press(page, WORDS.checking.again);
    await seesCode(page);
  });

  it('shows the text again to owners who sign it while an approval is awaited, also after a reload', async () => {
    link.service.isOut = true;
    link.service.awaits = 'owners';
    const page = await link.choose({ wallets: [WALLET] });
    await press(page, signWith('Eth'));
    await atStep(page, WORDS.owners.title);
    await press(page, WORDS.owners.send);
    await atStep(page, WORDS.sign.title);
    await page.reload();
    await atStep(page, WORDS.owners.title);
    await press(page, WORDS.owners.send);
    await atStep(page, WORDS.sign.title);
  });

  it('can be left while it retries', async () => {
    link.service.isOut = true;
    const page = await link.choose({ wallets: [WALLET] });
    await stopClock(page);
    await press(page, signWith('Eth'));
    await atStep(page, WORDS.checking.title);
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/link/proof', async (route) => {
      await isReleased;
      await route.continue();
    });
    const asked = page.waitForRequest('**/link/proof');
    await press(page, WORDS.checking.again);
    await asked;
    await press(page, WORDS.sign.back);
    await warns(page, FAULTS.left);
    // The try under way doesn't lead back.
    const looked = page.waitForResponse('**/link/look');
    release();
    await looked;
    await page.clock.runFor(60_000);
    expect(await page.getByRole('heading', { name: WORDS.wallets.title }).isVisible()).toBe(true);
  });

  it.each(['at once', 'after a reload'])('can be left for another wallet, %s', async (when) => {
    link.service.isOut = true;
    const page = await link.choose({ wallets: [WALLET, OTHER] });
    await press(page, signWith('Eth'));
    await atStep(page, WORDS.checking.title);
    if (when === 'after a reload') {
      await page.reload();
      await atStep(page, WORDS.checking.title);
    }
    await press(page, WORDS.sign.back);
    await atStep(page, WORDS.wallets.title);
    await warns(page, FAULTS.left);
    link.service.isOut = false;
    await press(page, 'Other');
    await press(page, signWith('Other'));
    await seesCode(page);
  });
});

describe.runIf(hasChromium)('an address below that of the page', () => {
  const link = new LinkBrowser();

  it.each([
    ['en-GB', 'There’s no page at this address', 'Español'],
    ['es-ES', 'No hay ninguna página en esta dirección', 'English'],
  ])("is explained in the reader's language, %s", async (locale, title, other) => {
    const page = await link.visit({ path: '/link/nowhere', options: { locale } });
    await atStep(page, title);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('link', { name: other }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('heading', { name: title }).isVisible()).toBe(false);
  });
});
