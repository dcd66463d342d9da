import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** The first needs a third of the other's time: the same engine without what a window is for. */
const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM =
  process.env.CHROMIUM_PATH ?? PLACES.find((path) => existsSync(path)) ?? '/usr/bin/chromium';

/** Without one the tests of pages can't run; they say so in their name. */
export const hasChromium = existsSync(CHROMIUM);
export const NEEDS_CHROMIUM = hasChromium
  ? ''
  : ` (skipped: no Chromium at ${CHROMIUM}; set CHROMIUM_PATH)`;

/** Nothing but the page itself may use the network. */
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

/** A page with what went wrong on it, and every address it asked for. */
export interface WatchedPage {
  readonly page: Page;
  readonly faults: string[];
  readonly requests: string[];
}

/** A page of a reader who has never been here. */
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
