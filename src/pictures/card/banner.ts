import { contrastOf, type Rgb, rgbOf } from '#command';
import { CARD_SIZE, type CardTheme } from '#pictures/shown/pictures';
import type { Palette } from './palette.ts';
import { coordinate as c, dataUri } from './svg.ts';

/** A banner to draw. */
export interface DrawnBanner {
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
export function bannerSvg(banner: DrawnBanner, palette: Palette, theme: CardTheme): string {
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
export function textBacking(
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
export function edgeStripe(colour: string): string {
  return `<rect width="14" height="${CARD_SIZE.height}" fill="${colour}"/>`;
}
