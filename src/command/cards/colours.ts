import type { Texts } from '#command/texts/index';
import type { Tier } from '#reputation';
import type { Card, Tone } from './card.ts';

/** The emoji before a card's title. All are old enough for every phone in use. */
export const EMBLEMS: Readonly<Record<Tone, string>> = {
  Titan: '🔱',
  Whale: '🐋',
  Shark: '🦈',
  Dolphin: '🐬',
  Shrimp: '🦐',
  plain: '🌊',
  warning: '⏳',
  error: '⚠️',
};

/** 0xRRGGBB; each contrasts with white and with the chats' dark grey (3:1 or more). */
export const COLOURS: Readonly<Record<Tone, number>> = {
  Titan: 0xb8860b,
  Whale: 0x6b7ff0,
  Shark: 0x748a9d,
  Dolphin: 0x0e9aa7,
  Shrimp: 0xf0644f,
  plain: 0x3b8fd1,
  warning: 0xd97e00,
  error: 0xe5484d,
};

/** A card's colour; a warning or an error is always recognised by its own. */
export function colourOf({ tone, accent }: Pick<Card, 'tone' | 'accent'>): number {
  return tone === 'warning' || tone === 'error' ? COLOURS[tone] : (accent ?? COLOURS[tone]);
}

/** `🐋 Whale` */
export function tierLabel(tier: Tier, texts: Texts): string {
  return `${EMBLEMS[tier]} ${texts.tiers[tier]}`;
}

/** A colour as 0xRRGGBB. */
export type Rgb = number;

/** `#rrggbb` */
export function hexColourOf(colour: Rgb): string {
  return `#${colour.toString(16).padStart(6, '0')}`;
}

/** @param hex `#rrggbb` */
export function rgbOf(hex: string): Rgb {
  return Number.parseInt(hex.slice(1), 16);
}

/** WCAG 2.2's minimum contrast for graphics (1.4.11). */
const GRAPHIC_CONTRAST = 3;

/** 0 for black to 1 for white: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
export function luminanceOf(colour: Rgb): number {
  const [r, g, b] = channelsOf(colour);
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** 1 to 21: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrastOf(one: Rgb, other: Rgb): number {
  const [a, b] = [luminanceOf(one), luminanceOf(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Whether a colour stands out from all of these. */
export function hasContrast(
  colour: Rgb,
  grounds: readonly Rgb[],
  least = GRAPHIC_CONTRAST,
): boolean {
  return grounds.every((ground) => contrastOf(colour, ground) >= least);
}

/** How many steps of lightness to try: finer ones look the same. */
const STEPS = 400;

/**
 * The colour of the same hue that stands out from all backgrounds and differs least in lightness.
 * @returns undefined if there is none
 */
export function nearestWithContrast(
  colour: Rgb,
  grounds: readonly Rgb[],
  least = GRAPHIC_CONTRAST,
): Rgb | undefined {
  if (hasContrast(colour, grounds, least)) return colour;
  const [lightness, a, b] = oklabOf(colour);
  for (let step = 1; step <= STEPS; step++) {
    for (const direction of [1, -1]) {
      const tried = lightness + (direction * step) / STEPS;
      if (tried < 0 || tried > 1) continue;
      const found = inGamut(tried, a, b);
      if (hasContrast(found, grounds, least)) return found;
    }
  }
  return undefined;
}

/** The most saturated colour of this lightness and hue that a screen can show, up to the given saturation. */
function inGamut(lightness: number, a: number, b: number): Rgb {
  for (let chroma = 1; chroma > 0; chroma -= 0.02) {
    const rgb = linearOf(lightness, a * chroma, b * chroma);
    if (rgb.every((each) => each >= -0.0005 && each <= 1.0005)) return packed(rgb);
  }
  return packed(linearOf(lightness, 0, 0));
}

/** https://bottosson.github.io/posts/oklab/ */
function oklabOf(colour: Rgb): readonly [lightness: number, a: number, b: number] {
  const [r, g, b] = channelsOf(colour).map(linear) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function linearOf(lightness: number, a: number, b: number): readonly number[] {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function packed(linearRgb: readonly number[]): Rgb {
  return linearRgb.reduce((rgb, each) => {
    const part = Math.min(1, Math.max(0, each));
    const encoded = part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055;
    return (rgb << 8) | Math.round(encoded * 255);
  }, 0);
}

function channelsOf(colour: Rgb): readonly [number, number, number] {
  return [(colour >> 16) & 255, (colour >> 8) & 255, colour & 255];
}

function linear(channel: number): number {
  const part = channel / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}
