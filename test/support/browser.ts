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

/** Contexts whose pages are closed, by the options they were created with. */
const unused = new WeakMap<Browser, Map<string, BrowserContext[]>>();
/** Contexts that won't do for another page. */
const changed = new WeakSet<BrowserContext>();

/** Opens a page as a first-time visitor. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const contexts = contextsOf(browser, JSON.stringify(options));
  // A new one takes its own processes, so one that an earlier page has left is as good as new again.
  const context =
    contexts.pop() ??
    (await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Madrid', ...options }));
  const page = await context.newPage();
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
    await forgetVisit(context, page);
    contexts.push(context);
  };
  return { page, faults, requests, close };
}

function contextsOf(browser: Browser, options: string): BrowserContext[] {
  const byOptions = unused.get(browser) ?? new Map<string, BrowserContext[]>();
  unused.set(browser, byOptions);
  const contexts = byOptions.get(options) ?? [];
  byOptions.set(options, contexts);
  return contexts;
}

/** What a page keeps itself, such as its session storage, ends with it. */
async function forgetVisit(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  const origin = new URL(page.url()).origin;
  if (origin !== 'null') {
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  }
  await Promise.all(context.pages().map((each) => each.close()));
  await context.clearCookies();
  await context.clearPermissions();
  await context.setOffline(false);
}

/** Lets a test set the time of a page, which stays set for all later pages of its context. */
export async function installClock(page: Page): Promise<void> {
  changed.add(page.context());
  await page.clock.install();
}
