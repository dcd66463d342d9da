import { sanitizeText } from '#base';
import { contrastOf, type Rgb, rgbOf } from '#command';
import { type Texts, textsFor } from '#command/texts';
import {
  FAMILY,
  fitToWidth,
  isDrawable,
  sizeFor,
  WEIGHTS,
  type Weight,
  widthOf,
  withPlainEmoji,
} from '#pictures/fonts/faces';
import { CARD_SIZE, type CardLook, type CardTheme } from '#pictures/shown/pictures';
import type { RankCard } from '#pictures/shown/rank-card';
import { shortAddress } from '#wallet';
import { badgeDisc } from './badge-svg.ts';
import { CREATURE_SIZE, CREATURES } from './creatures.ts';
import { branded, type Palette, paletteOf } from './palette.ts';
import { coordinate as c, dataUri, escapeXml } from './svg.ts';

/** Badge pictures by badge id: square PNGs, encoded by us. */
export type BadgePngs = ReadonlyMap<string, Uint8Array>;

/** A font size: a phone shows the card at a third of its size. */
const SMALLEST = 34;
/** The text column. */
const LEFT = 56;
const COLUMN = 660;
const RIGHT = CARD_SIZE.width - 56;
const NAME_MAX = 40;
const BAR = { y: 424, height: 26 } as const;
const BADGE = { y: 522, size: 76, gap: 16 } as const;
const PLOT = { x: 764, y: 440, width: 364, height: 98 } as const;
const DAY_MS = 86_400_000;

/** A banner to draw. */
interface DrawnBanner {
  readonly png: Uint8Array;
  /** The brightest colour of any area behind text. */
  readonly brightest: Rgb;
  readonly darkest: Rgb;
}

/** The share of a banner, from the left, that is behind the text column. */
export const TEXT_PART = 0.6;
/** How far down a card it reaches; it fades out from the middle on. */
const HEIGHT = 300;
/** WCAG's minimum contrast for text. */
const TEXT_CONTRAST = 4.5;
/** The veil's minimum opacity, so that a banner stays in the background; it's never fully opaque. */
const LEAST_VEIL = 0.3;
const MOST_VEIL = 0.9;
const VEIL_STEP = 0.05;
/** The opacity's factor beside the text column, where there's only the creature. */
const THINNER = 0.4;
const OPEN_FROM = 0.76;

/** The top of a card: the banner behind a veil of water that's thick enough for the text on it. */
function bannerSvg(banner: DrawnBanner, palette: Palette, theme: CardTheme): string {
  const { width } = CARD_SIZE;
  const water = veilColour(palette, theme);
  const opacity = veilFor(banner, palette, theme);
  const stop = (offset: number, strength: number) =>
    `<stop offset="${offset}" stop-color="${water}" stop-opacity="${c(strength)}"/>`;
  return `<defs>
<linearGradient id="banner-down" x1="0" y1="0" x2="0" y2="1"><stop offset="0.5" stop-color="#fff"/><stop offset="1" stop-color="#000"/></linearGradient>
<mask id="banner-fade" maskUnits="userSpaceOnUse" x="0" y="0" width="${width}" height="${HEIGHT}"><rect width="${width}" height="${HEIGHT}" fill="url(#banner-down)"/></mask>
<linearGradient id="veil">${stop(TEXT_PART, opacity)}${stop(OPEN_FROM, opacity * THINNER)}</linearGradient>
</defs>
<g mask="url(#banner-fade)"><image width="${width}" height="${HEIGHT}" preserveAspectRatio="xMidYMid slice" href="${dataUri(banner.png)}"/><rect width="${width}" height="${HEIGHT}" fill="url(#veil)"/></g>`;
}

/** A background for text on a banner outside of the text column. */
function textBacking(
  place: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  },
  palette: Palette,
  theme: CardTheme,
): string {
  const { x, y, width, height } = place;
  return `<rect x="${c(x)}" y="${y}" width="${c(width)}" height="${height}" rx="${height / 2}" fill="${veilColour(palette, theme)}" fill-opacity="${MOST_VEIL}"/>`;
}

function veilColour({ water }: Pick<Palette, 'water'>, theme: CardTheme): string {
  return water[theme === 'dark' ? 1 : 0];
}

/** The thinnest veil through which labels are readable on the banner's worst area. */
export function veilFor(
  { brightest, darkest }: Pick<DrawnBanner, 'brightest' | 'darkest'>,
  palette: Pick<Palette, 'water' | 'muted'>,
  theme: CardTheme,
): number {
  const worst = theme === 'dark' ? brightest : darkest;
  const [muted, veil] = [rgbOf(palette.muted), rgbOf(veilColour(palette, theme))];
  for (let opacity = LEAST_VEIL; opacity < MOST_VEIL; opacity += VEIL_STEP) {
    if (contrastOf(muted, mixed(worst, veil, opacity)) >= TEXT_CONTRAST) return opacity;
  }
  return MOST_VEIL;
}

/** The visible colour of a translucent colour on top of another. */
export function mixed(below: Rgb, above: Rgb, opacity: number): Rgb {
  return [16, 8, 0].reduce((rgb, shift) => {
    const [a, b] = [(below >> shift) & 255, (above >> shift) & 255];
    return rgb | (Math.round(a + (b - a) * opacity) << shift);
  }, 0);
}

/** The community's colour along a card's edge. */
function edgeStripe(colour: string): string {
  return `<rect width="14" height="${CARD_SIZE.height}" fill="${colour}"/>`;
}

/** What a community has chosen. */
interface CardDecoration {
  readonly accent: Rgb | undefined;
  readonly banner: DrawnBanner | undefined;
}

/**
 * Draws a rank card. Pure: the same card with the same look gives the same text. Everything from outside is
 * sanitized, escaped and measured.
 */
export function cardSvg(
  card: RankCard,
  look: CardLook,
  pngs: BadgePngs,
  { accent, banner }: CardDecoration = { accent: undefined, banner: undefined },
): string {
  const texts = textsFor(look.language);
  const plain = paletteOf(card.tier, look.theme);
  const palette = accent === undefined ? plain : branded(plain, accent, look.theme);
  const { width, height } = CARD_SIZE;
  const parts = [
    water(palette),
    ...(banner === undefined ? [] : [bannerSvg(banner, palette, look.theme)]),
    ...(accent === undefined ? [] : [edgeStripe(palette.brand)]),
    creature(card, palette),
    heading(card, palette, texts),
    figures(card, palette, texts),
    progress(card, palette, texts),
    badges(card, palette, texts, pngs),
    history(card, palette, texts),
    mark(card, palette, texts, banner === undefined ? undefined : look.theme),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FAMILY}">${parts.join('\n')}</svg>`;
}

interface TextStyle {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly weight: Weight;
  readonly fill: string;
  readonly anchor?: 'end';
}

function line(text: string, { x, y, size, weight, fill, anchor }: TextStyle): string {
  const aligned = anchor === undefined ? '' : ` text-anchor="${anchor}"`;
  return `<text x="${c(x)}" y="${y}" font-size="${size}" font-weight="${WEIGHTS[weight]}" fill="${fill}"${aligned}>${escapeXml(text)}</text>`;
}

/** The name if the fonts have all its glyphs, otherwise an address. */
function shownName({ name, address }: Pick<RankCard, 'name' | 'address'>): string {
  const safe = withPlainEmoji(sanitizeText(name ?? '', NAME_MAX));
  return safe !== '' && isDrawable(safe, 'bold') ? safe : shortAddress(address);
}

function heading(card: RankCard, { text, muted }: Palette, texts: Texts): string {
  const name = shownName(card);
  const size = sizeFor(name, COLUMN, [68, 60, 52, 46], 'bold');
  const short = shortAddress(card.address);
  // A name may look like another one, so the address is always beside it.
  const place = [texts.chains[card.chain], ...(name === short ? [] : [short])].join(' · ');
  return [
    line(fitToWidth(name, COLUMN, size, 'bold'), {
      x: LEFT,
      y: 116,
      size,
      weight: 'bold',
      fill: text,
    }),
    line(place, { x: LEFT, y: 170, size: 38, weight: 'regular', fill: muted }),
  ].join('');
}

function figures(card: RankCard, { text, muted, accent }: Palette, texts: Texts): string {
  const score = texts.number(card.score);
  const unit = card.score === 1 ? texts.picture.point : texts.picture.points;
  const room = COLUMN - widthOf(unit, 44, 'regular') - 20;
  const size = sizeFor(score, room, [144, 120, 96, 72, 56, 48, 40], 'bold');
  const tier = texts.tiers[card.tier];
  const after = LEFT + widthOf(tier, 50, 'bold') + 24;
  const rankRoom = LEFT + COLUMN - after;
  const place = texts.number(card.rank);
  const ofTotal = texts.picture.rank(place, texts.number(card.totalUsers));
  // Rather the rank alone than a line too small to read; the alternative text has both.
  const fits = widthOf(ofTotal, SMALLEST, 'regular') <= rankRoom;
  const rank = fits ? ofTotal : texts.picture.rankAlone(place);
  const rankSize = sizeFor(rank, rankRoom, [44, 40, 36, SMALLEST], 'regular');
  return [
    line(score, { x: LEFT - size * 0.04, y: 318, size, weight: 'bold', fill: text }),
    line(unit, {
      ...{ x: LEFT + widthOf(score, size, 'bold') + 12, y: 318, size: 44 },
      ...{ weight: 'regular', fill: muted },
    }),
    line(tier, { x: LEFT, y: 394, size: 50, weight: 'bold', fill: accent }),
    line(rank, { x: after, y: 393, size: rankSize, weight: 'regular', fill: text }),
  ].join('');
}

function progress({ progress }: RankCard, palette: Palette, texts: Texts): string {
  if (progress === undefined) return '';
  const { track, brand, muted } = palette;
  const fraction = progress.isHighest ? 1 : progress.fraction;
  const words = progress.isHighest
    ? texts.rep.highest
    : texts.rep.toNext(
        progress.missing,
        texts.number(progress.missing),
        texts.tiers[progress.next],
      );
  const bar = (width: number, fill: string) =>
    `<rect x="${LEFT}" y="${BAR.y}" width="${c(width)}" height="${BAR.height}" rx="${BAR.height / 2}" fill="${fill}"/>`;
  // At least a dot, so that a start shows.
  const filled = Math.max(BAR.height, COLUMN * fraction);
  const shown = fitToWidth(words, COLUMN, 38, 'regular');
  return `${bar(COLUMN, track)}${bar(filled, brand)}${line(shown, { x: LEFT, y: 492, size: 38, weight: 'regular', fill: muted })}`;
}

function badges(card: RankCard, palette: Palette, texts: Texts, pngs: BadgePngs): string {
  const { y, size, gap } = BADGE;
  const discs = card.badges.map((badge, i) =>
    badgeDisc(badge, pngs.get(badge.id), { x: LEFT + i * (size + gap), y, size, id: `badge-${i}` }),
  );
  const more = card.badgeTotal - card.badges.length;
  if (more > 0) {
    const x = LEFT + card.badges.length * (size + gap);
    const place = { x, y: y + 52, size: 40, weight: 'bold', fill: palette.muted } as const;
    discs.push(line(`+${texts.number(more)}`, place));
  }
  return discs.join('');
}

function hasPlot({ history }: RankCard): boolean {
  return history.length >= LEAST_POINTS;
}

function history(card: RankCard, { brand, muted }: Palette, texts: Texts): string {
  if (!hasPlot(card)) return '';
  const month = new Intl.DateTimeFormat(texts.languageTag, {
    ...{ year: 'numeric', month: 'short', timeZone: 'UTC' },
  });
  const since = texts.picture.since(month.format((card.history[0]?.[0] ?? 0) * DAY_MS));
  const label = { x: PLOT.x, y: 592, size: 36, weight: 'regular', fill: muted } as const;
  return sparkline(card.history, PLOT, brand) + line(since, label);
}

function creature(card: RankCard, { creature }: Palette): string {
  // Without a plot there's room for a larger one.
  const [x, y, scale] = hasPlot(card) ? [738, 74, 0.84] : [714, 130, 0.9];
  const { width, height } = CREATURE_SIZE;
  return `<svg x="${x}" y="${y}" width="${c(width * scale)}" height="${c(height * scale)}" viewBox="0 0 ${width} ${height}">${CREATURES[card.tier](creature)}</svg>`;
}

/**
 * The service's name, and notes about the figures.
 * @param backed the theme, if there's a banner below it
 */
function mark(
  { isStale, isPartial, isDemo }: RankCard,
  palette: Palette,
  texts: Texts,
  backed: CardTheme | undefined,
): string {
  const { picture } = texts;
  const notes = [
    ...(isDemo ? [picture.demo] : []),
    ...(isPartial ? [picture.partial] : []),
    ...(isStale ? [picture.stale] : []),
  ];
  const words = notes.length === 0 ? 'Fathom' : notes.join(' · ');
  const fill = notes.length === 0 ? palette.muted : palette.text;
  const said = line(words, { x: RIGHT, y: 60, size: 34, weight: 'regular', fill, anchor: 'end' });
  if (backed === undefined) return said;
  const width = widthOf(words, 34, 'regular') + 40;
  return textBacking({ x: RIGHT + 20 - width, y: 22, width, height: 54 }, palette, backed) + said;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Fewer don't make a line. */
const LEAST_POINTS = 2;

/**
 * A line of scores over days, filled below. A score holds until it changes, so the line has steps.
 * @param points oldest first, at least LEAST_POINTS
 */
function sparkline(
  points: readonly (readonly [day: number, score: number])[],
  { x, y, width, height }: Box,
  colour: string,
): string {
  const [first = 0] = points[0] ?? [];
  const [last = 0, end = 0] = points.at(-1) ?? [];
  const scores = points.map(([, score]) => score);
  const least = Math.min(...scores);
  const most = Math.max(...scores);
  const across = (day: number) => c(x + ((day - first) / Math.max(1, last - first)) * width);
  const up = (score: number) =>
    c(y + height - ((score - least) / Math.max(1, most - least)) * height);
  const steps = points.map(([day, score], i) =>
    i === 0 ? `M${across(day)} ${up(score)}` : `H${across(day)}V${up(score)}`,
  );
  const line = steps.join('');
  const floor = c(y + height + 8);
  return `<defs><linearGradient id="area" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${colour}" stop-opacity="0.38"/><stop offset="1" stop-color="${colour}" stop-opacity="0.04"/></linearGradient></defs>
<path d="${line}V${floor}H${c(x)}Z" fill="url(#area)"/>
<path d="${line}" fill="none" stroke="${colour}" stroke-width="6" stroke-linecap="round" stroke-linejoin="round"/>
<circle cx="${across(last)}" cy="${up(end)}" r="11" fill="${colour}"/>`;
}

/** Bubbles: centre and radius. They keep clear of the text. */
const BUBBLES = [
  [676, 96, 9],
  [700, 150, 5],
  [1150, 250, 8],
  [1168, 210, 5],
  [1136, 300, 4],
  [690, 352, 6],
  [1172, 396, 7],
] as const;

/** Beams of light: left and right edge at the top, then at the bottom. */
const BEAMS = [
  [560, 640, 300, 460],
  [760, 900, 620, 860],
  [1010, 1100, 1010, 1230],
] as const;

/** The background of a card. */
function water({ water, light }: Palette): string {
  const { width, height } = CARD_SIZE;
  const [colour, opacity] = light;
  const beams = BEAMS.map(
    ([a, b, c, d]) => `<path d="M${a} 0H${b}L${d} ${height}H${c}Z" fill="url(#beam)"/>`,
  );
  const bubbles = BUBBLES.map(
    ([x, y, r]) =>
      `<circle cx="${x}" cy="${y}" r="${r}"/><circle cx="${x - r / 3}" cy="${y - r / 3}" r="${r / 4}" fill="${colour}"/>`,
  );
  return `<defs>
<linearGradient id="water" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${water[0]}"/><stop offset="1" stop-color="${water[1]}"/></linearGradient>
<linearGradient id="beam" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${colour}" stop-opacity="${opacity}"/><stop offset="0.85" stop-color="${colour}" stop-opacity="0"/></linearGradient>
</defs>
<rect width="${width}" height="${height}" fill="url(#water)"/>
${beams.join('')}
<g fill="none" stroke="${colour}" stroke-opacity="0.45" stroke-width="2">${bubbles.join('')}</g>`;
}
