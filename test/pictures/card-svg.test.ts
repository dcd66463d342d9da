import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, textsFor } from '#command/texts/index';
import { badgeSvg, drawnInitials, traitsOf } from '#pictures/card/badge-svg';
import { cardSvg } from '#pictures/card/card-svg';
import { BADGE_COLOURS, paletteOf } from '#pictures/card/palette';
import { widthOf } from '#pictures/fonts/faces';
import { CARD_THEMES, type CardLook, DRAWING_VERSION } from '#pictures/shown/pictures';
import { altTextOf, type RankCard } from '#pictures/shown/rank-card';
import { BADGE_TIERS } from '#reputation/badge';
import { TIERS } from '#reputation/tier';
import { rankCard } from '../support/rank-card.ts';

const EN = textsFor('en');
const LOOK: CardLook = { language: 'en', theme: 'dark' };

/** The texts of a card, with their start and end. */
function textsIn(card: Partial<RankCard>, look = LOOK) {
  const svg = cardSvg(rankCard(card), look, new Map());
  return [...svg.matchAll(/<text ([^>]*)>([^<]*)<\/text>/g)].map(
    ([, attributes = '', raw = '']) => {
      const of = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
      const text = raw
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&');
      const weight = of('font-weight') === '700' ? 'bold' : 'regular';
      const width = widthOf(text, Number(of('font-size')), weight);
      const anchored = { middle: width / 2, end: width }[of('text-anchor')] ?? 0;
      const left = Number(of('x')) - anchored;
      return { text, left, right: left + width, size: Number(of('font-size')) };
    },
  );
}

const HOSTILE: Readonly<Record<string, string>> = {
  markup: '</text><script>alert(1)</script><image href="http://evil.example/x.png"/>',
  entities: '&lol; &#0; ]]> " \' <!ENTITY x SYSTEM "file:///etc/passwd">',
  controls: 'a\u0000b\u001bc\ufffed\u202egnp.exe',
  'zero width': 'vi\u200bta\u200dlik\u2060.eth\ufeff',
  'right to left': 'שלום עולם مرحبا بالعالم',
  'ten kilobytes': 'W'.repeat(10_240),
  'one grapheme': `a${'\u0301'.repeat(5_000)}`,
  Chinese: '鲸鱼大王鲸鱼大王鲸鱼大王鲸鱼大王鲸鱼大王',
  emoji: '👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿🐋',
  surrogates: '\ud83d\udc0b \ud83d \udc0b',
  nothing: '\u200b\u2060',
};

describe('a rank card', () => {
  it.each(TIERS)('A rank card of a %s says the same in every language and theme', (tier) => {
    const card = rankCard({ tier });
    for (const language of LANGUAGES) {
      for (const theme of CARD_THEMES) {
        const said = textsIn(card, { language, theme }).map(({ text }) => text);
        const dots = language === 'es' ? '.' : ',';
        expect(said).toContain('Marina');
        expect(said).toContain('Ethereum · 0xB7FF…1819');
        expect(said).toContain(`7${dots}190`);
        expect(said.join('\n')).toContain(`116`);
        expect(said).toContain('+2');
      }
    }
  });

  it.each(Object.entries(HOSTILE))('shows a name of %s as harmless text', (_, name) => {
    const svg = cardSvg(rankCard({ name }), LOOK, new Map());
    expect(svg).not.toMatch(/<script|<image|<!|evil\.example(?!\/)|href=/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML doesn't allow.
    expect(svg).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u200b\u202e\u2060\ufeff\ufffe]/);
    expect(svg.isWellFormed()).toBe(true);
    for (const { text, left, right } of textsIn({ name })) {
      expect(left, text).toBeGreaterThanOrEqual(40);
      expect(right, text).toBeLessThanOrEqual(1160);
    }
  });

  it('shows the short address where no font has the name', () => {
    expect(textsIn({ name: 'ꙮ𓀀' })[0]?.text).toBe('0xB7FF…1819');
    expect(textsIn({ name: undefined })[0]?.text).toBe('0xB7FF…1819');
    expect(textsIn({ name: '👩‍👩‍👧‍👦 👍🏽 🇪🇸 5️⃣ ❤️' })[0]?.text).toBe('👩 👍 ES 5 ❤');
    expect(textsIn({ name: 'クジラ 고래 שלום سلام 🐋' })[0]?.text).toBe('クジラ 고래 שלום سلام 🐋');
    expect(textsIn({ name: 'Ωmega Наталья Nguyễn' })[0]?.text).toBe('Ωmega Наталья Nguyễn');
  });

  it('keeps the longest figures in their column', () => {
    const figures = {
      score: Number.MAX_SAFE_INTEGER,
      rank: 987_654_321,
      totalUsers: 987_654_321,
    };
    for (const language of LANGUAGES) {
      for (const tier of TIERS) {
        const texts = textsIn({ ...figures, tier, name: 'M'.repeat(40) }, { ...LOOK, language });
        // The next column begins at 764.
        for (const { text, left, right } of texts.filter((each) => each.left < 760)) {
          expect(right, text).toBeLessThanOrEqual(56 + 660 + 1);
          expect(left, text).toBeGreaterThanOrEqual(40);
        }
      }
    }
  });

  it.each([51_186, 9_999_999, 987_654_321, 999_999_999_999])(
    'is legible at the width of a phone as the last of %d wallets',
    (totalUsers) => {
      for (const language of LANGUAGES) {
        for (const tier of TIERS) {
          const card = { tier, rank: totalUsers, totalUsers, isStale: true, isDemo: true };
          const texts = textsIn(card, { ...LOOK, language });
          for (const { text, size } of texts.filter(({ text }) => text.length > 2)) {
            // At 360 pixels wide, the card is shown at 0.3 of its size.
            expect(size * 0.3, text).toBeGreaterThanOrEqual(10);
          }
          const rank = textsFor(language).number(totalUsers);
          expect(texts.some(({ text }) => text.includes(rank))).toBe(true);
        }
      }
    },
  );

  it('leaves out what is not known', () => {
    const said = textsIn({ history: [], progress: undefined, badges: [], badgeTotal: 0 });
    const shown = said.map(({ text }) => text).join('\n');
    for (const words of [EN.picture.since(''), EN.rep.toNext(2, '', ''), '+']) {
      expect(shown).not.toContain(words.trim());
    }
    const svg = cardSvg(rankCard({ history: [[20_000, 5]] }), LOOK, new Map());
    expect(svg).not.toContain('NaN');
    expect(svg).not.toContain('url(#area)');
  });

  it('says that figures are made up or may be old', () => {
    const said = textsIn({ isStale: true, isDemo: true }).map(({ text }) => text);
    expect(said).toContain(`${EN.picture.demo} · ${EN.picture.stale}`);
  });

  it('puts every figure into its alternative text', () => {
    for (const language of LANGUAGES) {
      const card = { isDemo: true, isStale: true };
      const alt = altTextOf(rankCard(card), language);
      const told = textsIn(card, { ...LOOK, language }).flatMap(
        ({ text }) => text.match(/\d[\d.,]*/g) ?? [],
      );
      // The plot's first year isn't a figure of the wallet.
      for (const figure of told.filter((each) => !/^20\d\d$/.test(each))) {
        expect(alt).toContain(figure);
      }
    }
  });
});

describe('colours', () => {
  it.each(TIERS)('Colours of a %s can be read', (tier) => {
    for (const theme of CARD_THEMES) {
      const { water, text, muted, accent } = paletteOf(tier, theme);
      for (const ground of water) {
        expect(contrast(text, ground), `${theme} text`).toBeGreaterThanOrEqual(7);
        expect(contrast(muted, ground), `${theme} muted`).toBeGreaterThanOrEqual(4.5);
        expect(contrast(accent, ground), `${theme} accent`).toBeGreaterThanOrEqual(4.5);
      }
    }
  });

  it('Colours of badges carry white initials', () => {
    for (const [rim, centre] of Object.values(BADGE_COLOURS)) {
      expect(contrast('#ffffff', centre)).toBeGreaterThanOrEqual(4.5);
      expect(contrast('#ffffff', rim)).toBeGreaterThanOrEqual(3);
    }
  });
});

describe('a badge without a picture', () => {
  it.each([
    ['Bridge Builder', 'BrB'],
    ['governor', 'Go'],
    ['A', 'A'],
    ['Serum partner', 'SeP'],
    ['xGov committee', 'xGC'],
    ['Slope partner', 'SlP'],
    ['Milestone 1', 'M1'],
    ['Milestone 10', 'M10'],
    ['Milestone 100', 'M100'],
    ['Milestone 1000', '1000'],
    ['01 partner', '01P'],
    ['vote_2024', '2024'],
    ['Block 123456789', '1234'],
    ['投票', '投票'],
    ['5️⃣ years', '5Y'],
    ['🐋', '🐋'],
    ['~ 👩‍👩‍👧‍👦 ~', '👩'],
    ['🇪🇸', 'ES'],
    ['שומר הים', 'שוה'],
    ['مرحبا بالعالم', 'مرب'],
    ['고래 왕', '고래왕'],
    ['𓀀𓀁', '★'],
    ['<script>', 'Sc'],
    ['\u200b', '★'],
    ['', '★'],
  ])('named %j has the initials %s', (name, initials) => {
    expect(drawnInitials(name)).toBe(initials);
  });

  it('looks different from nearly all others of its tier, and always the same', () => {
    const looks = Array.from({ length: 300 }, (_, i) => JSON.stringify(traitsOf(`badge-${i}`)));
    expect(new Set(looks).size).toBeGreaterThan(280);
    expect(traitsOf('steward')).toEqual({ motif: 3, turn: 150, density: 2, dots: 0 });
  });

  it('stays well-formed with any id and name', () => {
    for (const text of ['', '"><script>', '\u202e\ud800', 'x'.repeat(5_000)]) {
      const svg = badgeSvg({ id: text, name: text, tier: 'Rare', imageUrl: '' });
      expect(svg).not.toMatch(/<script|NaN|undefined/);
      expect(svg.isWellFormed()).toBe(true);
    }
  });

  it.each(BADGE_TIERS)('A pattern makes the initials of a %s badge stand out more', (tier) => {
    const [, centre] = BADGE_COLOURS[tier];
    const parts = [1, 3, 5].map((at) => Number.parseInt(centre.slice(at, at + 2), 16));
    const shaded = parts.map((part) =>
      Math.round(part * 0.74)
        .toString(16)
        .padStart(2, '0'),
    );
    expect(contrast('#ffffff', `#${shaded.join('')}`)).toBeGreaterThan(contrast('#ffffff', centre));
  });
});

it('Pictures that are drawn differently have another version, so that nobody keeps the old ones', () => {
  const cards = TIERS.flatMap((tier) =>
    CARD_THEMES.map((theme) => cardSvg(rankCard({ tier }), { ...LOOK, theme }, new Map())),
  );
  const badges = BADGE_TIERS.map((tier) =>
    badgeSvg({ id: 'b', name: 'Deep Diver', tier, imageUrl: '' }),
  );
  const digest = hash('sha256', [...cards, ...badges].join('\n'));
  // Raise the one with the other.
  expect([DRAWING_VERSION, digest.slice(0, 16)]).toEqual([3, '602849c7898f2891']);
});

/** WCAG 2.2. */
function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [one, other].map(luminance).sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const parts = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  const [r = 0, g = 0, b = 0] = parts.map((each) =>
    each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
