import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

/** The first is the same engine without a window, and takes a third of the time. */
const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM =
  process.env.CHROMIUM_PATH ?? PLACES.find((path) => existsSync(path)) ?? '/usr/bin/chromium';

/** Without it the tests of pages are skipped and say so in their names. */
export const hasChromium = existsSync(CHROMIUM);
export const NEEDS_CHROMIUM = hasChromium
  ? ''
  : ` (skipped: no Chromium at ${CHROMIUM}; set CHROMIUM_PATH)`;

/** Only the page itself may use the network. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages are small and there are many: optimizing their code and starting processes costs more than it saves.
  '--js-flags=--single-threaded',
  '--renderer-process-limit=1',
  '--in-process-gpu',
  '--disable-software-rasterizer',
];

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
}

let shared: Promise<Browser> | undefined;

/** The browser of all tests in this process, which ends with it. */
export async function sharedBrowser(): Promise<Browser> {
  const browser = await shared;
  if (browser?.isConnected()) return browser;
  shared = openBrowser();
  return await shared;
}

/** A page, its errors, and every URL it requested. */
export interface WatchedPage {
  readonly page: Page;
  readonly faults: string[];
  readonly requests: string[];
  /** Closes it, and all other pages of its context. */
  close(): Promise<void>;
}

/** Blank pages of contexts that earlier pages have left, by the options of the context. */
const unused = new WeakMap<Browser, Map<string, Page[]>>();
/** Contexts that won't do for another page. */
const changed = new WeakSet<BrowserContext>();

/** Opens a page as a first-time visitor. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const blank = blankPagesOf(browser, JSON.stringify(options));
  const page = blank.pop() ?? (await newPage(browser, options));
  const context = page.context();
  page.setDefaultTimeout(50_000);
  const faults: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('request', (request) => requests.push(request.url()));
  const close = async () => {
    if (changed.has(context)) return await context.close();
    // Before the end of this one, whose process would end with it.
    const next = await context.newPage();
    await forgetVisit(page, next);
    blank.push(next);
  };
  return { page, faults, requests, close };
}

/** A context takes its own processes, so one that an earlier page has left is as good as new again. */
function blankPagesOf(browser: Browser, options: string): Page[] {
  const byOptions = unused.get(browser) ?? new Map<string, Page[]>();
  unused.set(browser, byOptions);
  const pages = byOptions.get(options) ?? [];
  byOptions.set(options, pages);
  return pages;
}

async function newPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const usual = { locale: 'en-GB', timezoneId: 'Europe/Madrid' };
  const context = await browser.newContext({ ...usual, ...options });
  return await context.newPage();
}

/** What a page keeps itself, such as its session storage, ends with it. */
async function forgetVisit(page: Page, next: Page): Promise<void> {
  const context = page.context();
  const session = await context.newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  const origin = new URL(page.url()).origin;
  if (origin !== 'null') {
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  }
  const visited = context.pages().filter((each) => each !== next);
  await Promise.all(visited.map((each) => each.close()));
  await context.clearCookies();
  await context.clearPermissions();
  await context.setOffline(false);
}

/** Lets a test set the time of a page, which stays set for all later pages of its context. */
export async function installClock(page: Page): Promise<void> {
  changed.add(page.context());
  await page.clock.install();
}
