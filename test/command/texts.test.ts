import { describe, expect, it } from 'vitest';
import { BAD_COPIES, BusyError, PlatformFault, RetryableError } from '#base/errors';
import type { Tone } from '#command/cards/card';
import { COLOURS, EMBLEMS } from '#command/cards/colours';
import { LANGUAGES, optionName, outageText, textsFor } from '#command/texts/index';
import { askPlatform } from '#gating/platform';

type Leaf = string | ((...values: never[]) => unknown);

/** A whole catalogue: path → text or function. */
function leavesOf(value: object, path = ''): [string, Leaf][] {
  return Object.entries(value).flatMap(([key, each]: [string, Leaf | object]) =>
    typeof each === 'object' ? leavesOf(each, `${path}.${key}`) : [[`${path}.${key}`, each]],
  );
}

const english = new Map(leavesOf(textsFor('en')));

const OF_OWNERS = ['owners-missing', 'owners-unchecked', 'contract-refused'] as const;

describe.each(LANGUAGES)('the texts in %s', (language) => {
  const texts = new Map(leavesOf(textsFor(language)));

  it('are complete, in the same order, and not empty', () => {
    expect([...texts.keys()]).toEqual([...english.keys()]);
    for (const [path, text] of texts) {
      if (typeof text === 'string') expect(text.trim().length, path).toBeGreaterThan(0);
    }
  });

  it('speak of a new text only where the old one is used up', () => {
    const { linkErrors } = textsFor(language);
    const lastOf = (text: string) => text.split(/(?<=[.:]) /).at(-1);
    const aboutNew = lastOf(linkErrors['text-expired']);
    expect(lastOf(linkErrors['proof-unchecked'])).toBe(aboutNew);
    for (const code of [...BAD_COPIES, ...OF_OWNERS]) {
      expect(linkErrors[code], code).not.toContain(aboutNew);
    }
  });

  it('use every value that they are given', () => {
    for (const [path, text] of texts) {
      const original = english.get(path);
      if (typeof text !== 'function' || typeof original !== 'function') continue;
      if (FORMATS.has(path)) continue;
      // Markers that no text contains; arguments that only choose a form don't show.
      const values = Array.from({ length: original.length }, (_, i) => `{${i}}`) as never[];
      const shownIn = (of: typeof text) =>
        values.filter((each) => String(of(...values)).includes(each));
      expect(shownIn(text), path).toEqual(shownIn(original));
      expect(shownIn(text).length, path).toBeGreaterThan(0);
    }
  });

  it('have a singular and a plural', () => {
    const { points, activity, rep, errors } = textsFor(language);
    expect(points(1, '1')).not.toBe(points(2, '1'));
    expect(activity.total(1, '1')).not.toBe(activity.total(2, '1'));
    expect(rep.toNext(1, '1', 'x')).not.toBe(rep.toNext(2, '1', 'x'));
    expect(errors.unavailable(1)).not.toContain('1');
  });

  it('say what to try next in every error', () => {
    const { errors } = textsFor(language);
    const shown = [
      errors.unknownCommand('x', 'y'),
      errors.missing('x', 'x'),
      errors.missingChoice('x', 'x'),
      errors.unexpected('x', 'y'),
      errors.unexpected('x', 'y', 'z'),
      errors.noValue('x'),
      errors.givenTwice('x', 'y'),
      errors.whichNumber('1', 'x:1, y:1'),
      errors.notAMember('x', 'y'),
      errors.memberAsWallet('x', 'y'),
      errors.unknownBadge('x', 'y, z'),
      errors.unknownBadge('x', 'y, z', 'z'),
      errors.severalBadges('x', 'y, z'),
      errors.notAChoice('x', 'y', 'z', 'y'),
      errors.notInRange('x', '1', '2', '3'),
      errors.tooLong('x', '1', 'y'),
      errors.unavailable(5),
      errors.platformSilent('Discord', 5),
      errors.platformRefused('Discord', '50001', 5),
      errors.busy(5),
      errors.bug,
    ];
    // An error card has one line: what happened and what to do.
    for (const text of shown) expect(text.length).toBeLessThanOrEqual(200);
  });
});

const FORMATS = new Set([
  '.number',
  '.exact',
  '.signed',
  '.percent',
  '.percentTenths',
  '.errors.of',
]);

describe('what may pass', () => {
  const { errors } = textsFor('en');
  it.each<[string, RetryableError, string]>([
    ['data that is away', new RetryableError('x'), errors.unavailable(5)],
    ['a silent platform', new PlatformFault('x'), errors.platformSilent('Discord', 5)],
    [
      'a refusal of the platform',
      new PlatformFault('x', { code: '19999' }),
      errors.platformRefused('Discord', '19999', 5),
    ],
    ['others at work on the same', new BusyError('x'), errors.busy(5)],
  ])('is told as what it is: %s', (_, error, told) => {
    expect(outageText(error, 'Discord', textsFor('en'))).toBe(told);
  });

  it('keeps what it is where a platform is asked', async () => {
    const fails = (error: Error) => askPlatform(() => Promise.reject(error));
    await expect(fails(new BusyError('x'))).rejects.toThrow(BusyError);
    const refused = fails(new PlatformFault('x', { code: '19999' }));
    await expect(refused).rejects.toMatchObject({ code: '19999' });
  });
});

describe('the language', () => {
  it.each([
    ['en', 'en'],
    ['en-US', 'en'],
    ['es', 'es'],
    ['es-ES', 'es'],
    ['es-MX', 'es'],
    ['es-419', 'es'],
    ['ES_mx', 'es'],
    ['es-Latn-AR', 'es'],
    ['de', 'en'],
    ['est', 'en'],
    ['', 'en'],
    [undefined, 'en'],
    ['constructor', 'en'],
    ['es-ZZ', 'es'],
    ['💥', 'en'],
  ])('The language of %s is %s', (locale, language) => {
    expect(textsFor(locale).language).toBe(language);
  });

  it('formats numbers like its region, and groups four digits, too', () => {
    const shown = (locale: string) => textsFor(locale).number(1234.567);
    expect(shown('en')).toBe('1,234.57');
    expect(shown('es')).toBe('1.234,57');
    expect(shown('es-ES')).toBe('1.234,57');
    expect(shown('es-MX')).toBe('1,234.57');
    expect(shown('es-419')).toBe('1,234.57');
    expect(shown('de-DE')).toBe('1,234.57');
  });

  it('keeps its words whatever the region, and caches a bounded number of regions', () => {
    for (let i = 100; i < 400; i += 1) expect(textsFor(`es-${i}`).top.title).toBe('Clasificación');
    expect(textsFor('es-MX')).toBe(textsFor('es-mx'));
  });

  it.each([
    [120, '+120'],
    [-1500, '−1,500'],
    [0, '0'],
  ])('shows %i signed as %s', (value, text) => {
    expect(textsFor('en').signed(value)).toBe(text);
  });

  it("uses an option's own name if it has no translation", () => {
    expect(optionName(textsFor('es'), 'wallet')).toBe('cartera');
    expect(optionName(textsFor('es'), 'constructor')).toBe('constructor');
  });
});

describe('tones', () => {
  const tones = Object.keys(COLOURS) as Tone[];

  it('have an emoji and a colour of their own', () => {
    expect(new Set(Object.values(EMBLEMS)).size).toBe(tones.length);
    expect(new Set(Object.values(COLOURS)).size).toBe(tones.length);
  });

  it.each(tones)('%s contrasts with white and with the grey of dark chats', (tone) => {
    for (const background of [0xffffff, 0x313338, 0x17212b]) {
      expect(contrast(COLOURS[tone], background)).toBeGreaterThanOrEqual(3);
    }
  });
});

/** WCAG 2.2, contrast ratio. */
function contrast(a: number, b: number): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: number): number {
  const [r = 0, g = 0, b = 0] = [16, 8, 0].map((shift) => {
    const part = ((colour >> shift) & 255) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
