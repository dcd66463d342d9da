import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

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
];

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
}

let shared: Promise<Browser> | undefined;

/**
 * The browser of all tests in this process, which ends with it. Each page has a context of its own,
 * which its test closes.
 */
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
}

/** Opens a page as a first-time visitor. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Madrid',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(50_000);
  const faults: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('request', (request) => requests.push(request.url()));
  return { page, faults, requests };
}
