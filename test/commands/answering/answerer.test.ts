import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLATFORMS } from '#app/config';
import { PlatformFault, RetryableError, UserError } from '#base/errors';
import type { Logger } from '#base/log';
import { textsFor } from '#command/texts/index';
import { timed } from '#commands/answering/command';
import { commands } from '#commands/index';
import type { ReputationSource } from '#reputation/reputation-source';
import { anyString } from '../../support/any-string.ts';
import { answererWith, ask, CALLER } from '../../support/ask.ts';
import { cardText } from '../../support/card-text.ts';
import { FixedSource, fixedWallets, UNSEEN, WHALE } from '../../support/fixed-source.ts';
import { silentLog } from '../../support/log.ts';

const EN = textsFor('en');

/** Always throws the same, synchronously or later. */
function brokenSource(thrown: unknown, later: boolean): ReputationSource {
  const fail = () => {
    if (later) return Promise.reject(thrown);
    throw thrown;
  };
  const reading = {
    revision: 'broken',
    asOf: undefined,
    ageSeconds: 0,
    isStale: false,
    reputation: fail,
    badges: fail,
    reputations: fail,
    badgeLists: fail,
    leaderboard: fail,
    activity: fail,
    stats: fail,
    named: fail,
    nameOf: fail as () => never,
    chainEvents: fail,
    breakdown: fail,
    history: fail,
    provenance: fail,
    badgeHolders: fail,
    countFrom: fail,
    growth: fail,
    activities: fail,
  };
  return { reading: () => reading, recognise: fail as () => never };
}

/** A log that records errors. */
function keepingLog(): { readonly log: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  return { lines, log: { ...silentLog, error: (_, message) => lines.push(message) } };
}

describe('the answerer', () => {
  it('answers with a card whatever a source throws', async () => {
    const wallet = WHALE.address;
    const calls = [
      ['rep', { wallet }],
      ['badges', { wallet }],
      ['activity', { wallet }],
      ['why', { wallet }],
      ['top', {}],
      ['top', { wallet }],
      ['stats', {}],
    ] as const;
    await fc.assert(
      fc.asyncProperty(fc.anything(), fc.boolean(), async (thrown, later) => {
        const { log, lines } = keepingLog();
        const answerer = answererWith({ source: brokenSource(thrown, later), log });
        for (const [command, args] of calls) {
          const card = await ask(answerer, command, args);
          expect(card.tone).toBe('error');
          expect(cardText(card)).toContain(EN.errors.bug);
        }
        expect(await answerer.suggest(CALLER, 'x')).toEqual([]);
        expect(lines).toHaveLength(calls.length + 1);
      }),
    );
  });

  it('answers with a card to any input, in any language', async () => {
    const answerer = answererWith();
    const names = fc.oneof(fc.constantFrom(...commands.map((each) => each.name)), fc.string());
    const args = fc.dictionary(
      fc.constantFrom('wallet', 'chain', 'page', 'action', 'key', '__proto__'),
      anyString(),
    );
    const locales = fc.oneof(fc.string(), fc.constantFrom('es', 'es-MX', 'x-1', 'en_US', '-'));
    await fc.assert(
      fc.asyncProperty(names, args, locales, async (command, given, locale) => {
        const card = await ask(answerer, command, given, locale);
        expect(card.title.length).toBeGreaterThan(0);
      }),
    );
  });

  it('says when to retry while a source is down, and reports no bug', async () => {
    const { log, lines } = keepingLog();
    const thrown = new RetryableError('the disk is full', { retryAfter: 30 });
    const answerer = answererWith({ source: brokenSource(thrown, true), log });
    const card = await ask(answerer, 'stats');
    expect(card.tone).toBe('warning');
    expect(cardText(card)).toContain(textsFor('en').errors.unavailable(30));
    expect(cardText(card)).not.toContain('disk');
    expect(await answerer.suggest(CALLER, '')).toEqual([]);
    expect(lines).toEqual([]);
  });

  it('names the platform, where that is away, in place of the data', async () => {
    const thrown = new PlatformFault('Chat answered HTTP 500.', { retryAfter: 30 });
    const card = await ask(answererWith({ source: brokenSource(thrown, true) }), 'stats');
    const [{ label } = { label: '' }] = PLATFORMS.filter(({ id }) => id === CALLER.platform);
    expect(cardText(card)).toContain(textsFor('en').errors.platformSilent(label, 30));
  });

  it("shows nobody what only the operator can mend, as it names the operator's files", async () => {
    const { log, lines } = keepingLog();
    const thrown = new UserError('wrong-configuration', '/data/fathom.db is corrupt.');
    const answerer = answererWith({ source: brokenSource(thrown, true), log });
    const card = await ask(answerer, 'stats');
    expect(card.tone).toBe('warning');
    expect(cardText(card)).toContain(textsFor('en').errors.unavailable(60));
    expect(cardText(card)).not.toContain('fathom.db');
    // What lasts is said once, however many ask.
    await ask(answerer, 'stats');
    expect(await answerer.suggest(CALLER, '')).toEqual([]);
    expect(lines).toEqual(['the data is unavailable']);
  });

  it('shows a user error only to its user', async () => {
    const answerer = answererWith({
      source: brokenSource(new UserError('wrong-usage', 'Do this instead.'), false),
    });
    const card = await ask(answerer, 'stats');
    expect(card.private).toBe(true);
    expect(cardText(card)).toContain('Do this instead.');
  });

  it('admits what it does not know', async () => {
    const card = await ask(answererWith(), 'nonsense');
    expect(cardText(card)).toContain(EN.errors.unknownCommand('nonsense'));
    expect(await ask(answererWith({ commands: [] }), 'rep')).toMatchObject({ actions: [] });
  });

  it('keeps a private command private even if it fails', async () => {
    const answerer = answererWith({
      keysOf: () => {
        throw new Error('no keys here');
      },
    });
    expect(await ask(answerer, 'apikey')).toMatchObject({ tone: 'error', private: true });
  });

  it('suggests recent wallets, in canonical form', async () => {
    const answerer = answererWith({ source: new FixedSource(fixedWallets()) });
    await ask(answerer, 'rep', { wallet: UNSEEN.address.toLowerCase() });
    await ask(answerer, 'rep', { wallet: 'nonsense' });
    const [first, second] = await answerer.suggest(CALLER, '');
    expect(first?.address).toBe(UNSEEN.address);
    expect(second?.label).toContain('leviathan.sol');
    expect(await answerer.suggest({ platform: 'telegram', id: CALLER.id }, UNSEEN.address)).toEqual(
      [],
    );
  });
});

it('a refusal’s time is shown as the platform shows times', () => {
  const [before, time, after] = timed('You can link it from 2026-11-22 14:05 UTC.');
  expect([before, after]).toEqual(['You can link it from ', '.']);
  expect(time).toEqual({ time: Date.UTC(2026, 10, 22, 14, 5) / 1000, style: 'clock' });
  expect(timed('No time.')).toEqual(['No time.']);
});
