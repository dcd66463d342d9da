import { hexColourOf, nearestWithContrast, type Rgb, rgbOf } from '#command';
import type { CardTheme } from '#pictures/shown/pictures';
import type { BadgeTier, Tier } from '#reputation';

/** The colours of one tier in one theme: each tier lives at a depth of its own. */
export interface Palette {
  /** The water's gradient. */
  readonly water: readonly [top: string, bottom: string];
  /** Light from above, and its opacity. */
  readonly light: readonly [colour: string, opacity: number];
  /** Text; a contrast of 7:1 or more on all of the water. */
  readonly text: string;
  /** Labels; 4.5:1 or more. */
  readonly muted: string;
  /** The tier's name; 4.5:1 or more. */
  readonly accent: string;
  /** The bar and the plot: the tier's accent, or the community's; 3:1 or more. */
  readonly brand: string;
  /** The empty part of the bar, and rings. */
  readonly track: string;
  readonly creature: CreatureColours;
}

export interface CreatureColours {
  /** The back's gradient. */
  readonly body: readonly [top: string, bottom: string];
  readonly belly: string;
  /** Fins on the near side, and lines on the skin. */
  readonly fin: string;
  /** Fins on the far side. */
  readonly far: string;
  readonly eye: string;
  readonly glint: string;
  /** Ornaments: a titan's gold, a shrimp's stripes. */
  readonly accent: string;
}

const CREATURES: Readonly<Record<Tier, CreatureColours>> = {
  Shrimp: {
    body: ['#ff9a7a', '#f0644f'],
    belly: '#ffd3bd',
    fin: '#d94a3a',
    far: '#b93a30',
    eye: '#2a1420',
    glint: '#ffffff',
    accent: '#ffe3d1',
  },
  Dolphin: {
    body: ['#3fc4d6', '#0e7d95'],
    belly: '#e4fbff',
    fin: '#0b6a80',
    far: '#07505f',
    eye: '#06222b',
    glint: '#ffffff',
    accent: '#a9eef7',
  },
  Shark: {
    body: ['#93a9bd', '#566e84'],
    belly: '#eef4f9',
    fin: '#4a6176',
    far: '#384c5e',
    eye: '#0d1720',
    glint: '#ffffff',
    accent: '#2c3e4e',
  },
  Whale: {
    body: ['#7386f7', '#3c4bc4'],
    belly: '#dfe4ff',
    fin: '#3441a8',
    far: '#283386',
    eye: '#10153f',
    glint: '#ffffff',
    accent: '#a8b4ff',
  },
  Titan: {
    body: ['#8b52d6', '#43207f'],
    belly: '#caa4f5',
    fin: '#351866',
    far: '#371a6b',
    eye: '#1a0b33',
    glint: '#fff4c9',
    accent: '#ffcf3f',
  },
};

type Water = Omit<Palette, 'creature' | 'brand'>;

const WATERS: Readonly<Record<CardTheme, Readonly<Record<Tier, Water>>>> = {
  dark: {
    Shrimp: {
      water: ['#0d555c', '#062d34'],
      light: ['#bff7e6', 0.16],
      text: '#ffffff',
      muted: '#b9e0dc',
      accent: '#ffb8a5',
      track: '#1f7c82',
    },
    Dolphin: {
      water: ['#0a5276', '#052b44'],
      light: ['#b8ecff', 0.15],
      text: '#ffffff',
      muted: '#b5d8e8',
      accent: '#6fe6f0',
      track: '#1c6d92',
    },
    Shark: {
      water: ['#1c4060', '#0a1e33'],
      light: ['#cfe6ff', 0.12],
      text: '#ffffff',
      muted: '#b8cbdc',
      accent: '#bcd9f0',
      track: '#36597a',
    },
    Whale: {
      water: ['#1f2a6e', '#0c1136'],
      light: ['#c9d2ff', 0.11],
      text: '#ffffff',
      muted: '#bdc4ea',
      accent: '#b0bcff',
      track: '#39469a',
    },
    Titan: {
      water: ['#21113f', '#07040f'],
      light: ['#d9c2ff', 0.09],
      text: '#ffffff',
      muted: '#c6b8df',
      accent: '#ffd45c',
      track: '#47316f',
    },
  },
  light: {
    Shrimp: {
      water: ['#f0fdf9', '#b4efe2'],
      light: ['#ffffff', 0.6],
      text: '#06302f',
      muted: '#245653',
      accent: '#a62c1c',
      track: '#8fd9ca',
    },
    Dolphin: {
      water: ['#ecf9ff', '#a9dcf3'],
      light: ['#ffffff', 0.6],
      text: '#04293a',
      muted: '#1f5066',
      accent: '#005e72',
      track: '#86c5e2',
    },
    Shark: {
      water: ['#f0f5fa', '#b7cde1'],
      light: ['#ffffff', 0.6],
      text: '#0d2134',
      muted: '#34506a',
      accent: '#2a4a66',
      track: '#99b4cd',
    },
    Whale: {
      water: ['#f0f2ff', '#bac4f7'],
      light: ['#ffffff', 0.6],
      text: '#12173f',
      muted: '#3b4379',
      accent: '#3440b0',
      track: '#9fabec',
    },
    Titan: {
      water: ['#f7f1ff', '#ceb9f0'],
      light: ['#ffffff', 0.55],
      text: '#1d0c3a',
      muted: '#4d3a72',
      accent: '#6b4500',
      track: '#b69be0',
    },
  },
};

export function paletteOf(tier: Tier, theme: CardTheme): Palette {
  const water = WATERS[theme][tier];
  return { ...water, brand: water.accent, creature: CREATURES[tier] };
}

/**
 * With a community's accent in the bar and the plot. It was chosen for the chats: on a card it's the
 * nearest colour of its hue that stands out from the water.
 */
export function branded(palette: Palette, accent: Rgb, theme: CardTheme): Palette {
  const fit = nearestWithContrast(accent, palette.water.map(rgbOf));
  const brand = fit === undefined ? palette.accent : hexColourOf(fit);
  return { ...palette, brand, track: BRAND_TRACKS[theme] };
}

/** Tracks of branded cards are grey: a hue might be too close to the community's. */
const BRAND_TRACKS: Readonly<Record<CardTheme, string>> = {
  dark: 'rgba(0, 0, 0, 0.4)',
  light: 'rgba(255, 255, 255, 0.7)',
};

/** A badge's rim and centre; its initials are white, at 4.5:1 or more on both. */
export const BADGE_COLOURS: Readonly<Record<BadgeTier, readonly [rim: string, centre: string]>> = {
  Common: ['#5b6b7a', '#4a5967'],
  Uncommon: ['#1f7a4d', '#17633d'],
  Rare: ['#1f6fc4', '#1859a3'],
  Epic: ['#8a3fc9', '#7231aa'],
  Legendary: ['#a86400', '#8c5200'],
};
