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
