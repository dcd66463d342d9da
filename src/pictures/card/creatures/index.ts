import type { CreatureColours } from '#pictures/card/palette';
import type { Tier } from '#reputation';
import { dolphin } from './dolphin.ts';
import { shark } from './shark.ts';
import { shrimp } from './shrimp.ts';
import { titan } from './titan.ts';
import { whale } from './whale.ts';

/** The size of a creature's drawing, in SVG units. */
export const CREATURE_SIZE = { width: 500, height: 360 } as const;

/** The content of an SVG group; ids in it start with the creature's own letter. */
export const CREATURES: Readonly<Record<Tier, (colours: CreatureColours) => string>> = {
  Titan: titan,
  Whale: whale,
  Shark: shark,
  Dolphin: dolphin,
  Shrimp: shrimp,
};
