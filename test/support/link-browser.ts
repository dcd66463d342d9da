import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { wordsFor } from '#http/pages/words/index';
import { installClock, openPage, sharedBrowser, type WatchedPage } from './browser.ts';
import type { WalletKey } from './link-keys.ts';
import { openLinkPage, type TestLinkPage } from './link-page.ts';
import type { TestLinkService } from './link-service.ts';

/** A wallet in the browser; see link-wallets.js. */
export interface TestWallet {
  readonly protocol:
    | 'eip-6963'
    | 'window.ethereum'
    | 'wallet-standard'
    | 'window.algorand'
    | 'arc-27';
  readonly name?: string;
  readonly icon?: string;
  readonly keys: readonly WalletKey[];
  /** Methods that it supports. */
  readonly knows?: readonly string[];
  /** Those of its accounts, if they differ. */
  readonly accountKnows?: readonly string[];
  /** How each signature request ends, and each connection; further ones succeed. */
  readonly does?: readonly string[];
  readonly connects?: readonly string[];
}

interface Visit {
  readonly wallets?: readonly TestWallet[];
  readonly options?: BrowserContextOptions;
  /** Runs in the page before its own scripts. */
  readonly script?: string;
  readonly beforeLoad?: (page: Page) => Promise<void>;
  /** A request is begun if none is given. */
  readonly ticket?: string;
  readonly path?: string;
  /** Whether the ticket is in the path, as when it comes from another browser. */
  readonly isHandedOver?: boolean;
  /** Another service than the tests' shared one. */
  readonly at?: TestLinkPage;
}

/** The words of the page. */
export const { link: WORDS } = wordsFor(['en']);
export const { faults: FAULTS } = WORDS.browser;

/** What the button says that signs with this wallet. */
export function signWith(wallet: string, language = 'en'): string {
  return wordsFor([language]).link.browser.signWith.replace('{}', wallet);
}

/** On the button that leaves the first step, in a browser with wallets and in one without. */
const FIRST_STEP = new RegExp(`^(?:${WORDS.start.go}|${WORDS.apps.other})$`);

/** Our own server, and pictures that wallets bring along. */
const OWN = /^(?:http:\/\/127\.0\.0\.1:\d+\/|data:image\/)/;

/** The page in a browser for the tests of one `describe`, with checks that hold after any test. */
export class LinkBrowser {
  #at: TestLinkPage | undefined;
  #browser: Browser | undefined;
  readonly #opened: WatchedPage[] = [];

  constructor() {
    beforeAll(async () => {
      this.#at = await openLinkPage();
      this.#browser = await sharedBrowser();
    });
    afterAll(async () => {
      await this.#at?.close();
    });
    beforeEach(() => this.service.startTest());
    afterEach(async () => {
      for (const { close, faults, requests } of this.#opened.splice(0)) {
        await close();
        // The browser itself logs every error response.
        expect(faults.filter((each) => !each.startsWith('Failed to load resource'))).toEqual([]);
        expect(requests.filter((url) => !OWN.test(url))).toEqual([]);
        for (const ticket of this.service.tickets) expect(requests.join()).not.toContain(ticket);
      }
      expect(this.#at?.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    });
  }

  get url(): string {
    return this.#at?.url ?? '';
  }

  get service(): TestLinkService {
    if (this.#at === undefined) throw new Error('the page is not open yet');
    return this.#at.service;
  }

  /** A reader who has followed the link from the chat and hasn't pressed anything yet. */
  async visit(visit: Visit = {}): Promise<Page> {
    const { wallets = [], options, script = '', beforeLoad, at = this.#at } = visit;
    if (this.#browser === undefined || at === undefined)
      throw new Error('the browser is not open yet');
    const watched = await openPage(this.#browser, options);
    this.#opened.push({ ...watched, requests: visit.isHandedOver ? [] : watched.requests });
    const { page } = watched;
    await injectWallets(page, wallets);
    if (script !== '') await page.addInitScript(script);
    await beforeLoad?.(page);
    const path = visit.path ?? `/link#${visit.ticket ?? at.service.begin()}`;
    await page.goto(at.url + path);
    return page;
  }

  /** A reader who sees the wallets of this browser. */
  async enter(visit: Visit = {}): Promise<Page> {
    const page = await this.visit(visit);
    await goOn(page);
    await page.getByRole('heading', { name: WORDS.wallets.title }).waitFor();
    return page;
  }

  /** A reader who is about to sign with the first wallet. */
  async choose(visit: Visit): Promise<Page> {
    const page = await this.enter(visit);
    await page.locator('#found button').first().click();
    await page.getByRole('heading', { name: WORDS.sign.title }).waitFor();
    return page;
  }
}

/** Leaves the first step, whichever it is in this browser. */
export async function goOn(page: Page): Promise<void> {
  await page.getByRole('button', { name: FIRST_STEP }).click();
}

/** From now on, time in the page only passes through `clock.runFor`. */
export async function stopClock(page: Page): Promise<void> {
  await installClock(page);
  // It stops at a future time, which must not have passed by then.
  await page.clock.pauseAt(Number(await page.evaluate('Date.now()')) + 30_000);
}

/** Waits until the page shows this as an alert. */
export async function warns(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('alert').filter({ hasText: text }).waitFor();
}

/** Waits for the code. */
export async function seesCode(page: Page): Promise<void> {
  await page.locator('#code', { hasText: /^042137$/ }).waitFor();
}

/** What was requested from the wallets, in order. */
export async function askedOf(page: Page): Promise<string[]> {
  return (await page.evaluate('window.testAsked')) as string[];
}

async function injectWallets(page: Page, wallets: readonly TestWallet[]): Promise<void> {
  const keys = new Map(wallets.flatMap((each) => each.keys.map((key) => [key.address, key])));
  await page.exposeFunction('testSign', async (address: string, bytes: string) => {
    const key = keys.get(address);
    if (key === undefined) throw new Error(`no key for ${address}`);
    return await key.sign(Buffer.from(bytes, 'base64'));
  });
  const described = wallets.map(({ keys: own, ...wallet }) => ({
    ...wallet,
    addresses: own.map(({ address }) => address),
  }));
  await page.addInitScript(`window.testWallets = ${JSON.stringify(described)};`);
  await page.addInitScript({ path: new URL('./link-wallets.js', import.meta.url).pathname });
}
