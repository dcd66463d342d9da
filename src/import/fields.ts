import { hasVisibleText, parseIsoTime, unfitCharacter } from '#base';
import { BADGE_TIERS, type BadgeTier } from '#reputation';
import { CHAIN_CODES, CHAINS, type Chain, chainOfCode } from '#wallet';
import {
  ACTIVITY_POINTS_MAX,
  BADGE_ID_MAX,
  FUTURE_MAX_SECONDS,
  IMAGE_URL_MAX,
  TYPE_MAX,
} from './limits.ts';
import type { RawRecord } from './raw-record.ts';
import { LineFault } from './refusal.ts';

const TYPE_FORM = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const BADGE_ID_FORM = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const URL_FORM = /^https?:\/\/[^\s]+$/i;

/**
 * Reads a required text.
 * @param max maximum characters
 * @throws LineFault
 */
export function readText(
  record: RawRecord,
  field: string,
  max: number,
  options: { mayBeEmpty?: boolean } = {},
): string {
  const text = record[field];
  if (typeof text !== 'string') throw notText(field, text);
  requireFit(`"${field}"`, text, max, options);
  return text;
}

/**
 * Rejects a text that is too long, empty, or not displayable.
 * @param what its name, for people
 * @throws LineFault
 */
export function requireFit(
  what: string,
  text: string,
  max: number,
  options: { mayBeEmpty?: boolean } = {},
): void {
  if (text.length > max && characters(text) > max) {
    throw new LineFault(
      'text-too-long',
      `${what} has ${characters(text)} characters; at most ${max} are allowed.`,
    );
  }
  if (!options.mayBeEmpty && text.trim() === '') {
    throw new LineFault('empty-text', `${what} is empty; it needs at least one character.`);
  }
  const unfit = unfitCharacter(text);
  if (unfit !== undefined) {
    throw new LineFault('bad-characters', `${what} contains ${unfit}. Remove it.`);
  }
  if (!options.mayBeEmpty && !hasVisibleText(text)) {
    throw new LineFault(
      'empty-text',
      `${what} has only invisible characters; it needs at least one that can be seen.`,
    );
  }
}

/** The same for an optional text. */
export function readOptionalText(
  record: RawRecord,
  field: string,
  max: number,
): string | undefined {
  return record[field] === undefined ? undefined : readText(record, field, max);
}

/** @throws LineFault */
export function readType(record: RawRecord): string {
  const type = readText(record, 'type', TYPE_MAX);
  if (TYPE_FORM.test(type)) return type;
  throw new LineFault(
    'bad-type',
    '"type" must be a lower_snake_case label such as governance_vote: letters a-z, digits and single underscores, starting with a letter.',
  );
}

/** @throws LineFault */
export function readBadgeId(record: RawRecord, field: string): string {
  const id = readText(record, field, BADGE_ID_MAX);
  if (BADGE_ID_FORM.test(id)) return id;
  throw new LineFault(
    'bad-badge-id',
    `"${field}" must be a badge id such as early-adopter: letters a-z and digits, joined by single hyphens.`,
  );
}

/** @throws LineFault */
export function readBadgeTier(record: RawRecord): BadgeTier {
  const tier = BADGE_TIERS.find((each) => each === record.tier);
  if (tier !== undefined) return tier;
  throw new LineFault(
    'bad-badge-tier',
    `"tier" of a badge must be one of ${BADGE_TIERS.join(', ')}.`,
  );
}

/** @throws LineFault */
export function readImageUrl(record: RawRecord): string {
  const url = readText(record, 'imageUrl', IMAGE_URL_MAX);
  if (URL_FORM.test(url) && URL.canParse(url)) return url;
  throw new LineFault(
    'bad-image-url',
    '"imageUrl" must be a full URL that begins with https:// or http://.',
  );
}

/** @throws LineFault */
export function readSoulbound(record: RawRecord): boolean {
  const soulbound = record.soulbound;
  if (typeof soulbound === 'boolean') return soulbound;
  throw new LineFault('bad-soulbound', '"soulbound" must be true or false, without quotes.');
}

/** @throws LineFault */
export function readPoints(record: RawRecord): number {
  const points = record.points;
  if (
    typeof points !== 'number' ||
    !Number.isInteger(points) ||
    Math.abs(points) > ACTIVITY_POINTS_MAX
  ) {
    throw new LineFault(
      'bad-points',
      `"points" must be a whole number without quotes, from -${ACTIVITY_POINTS_MAX} to ${ACTIVITY_POINTS_MAX}.`,
    );
  }
  // JSON has -0, which equals 0 but prints differently.
  return points === 0 ? 0 : points;
}

/**
 * @param now seconds since 1970
 * @returns seconds since 1970
 * @throws LineFault
 */
export function readTimestamp(record: RawRecord, now: number): number {
  const text = record.timestamp;
  const seconds = typeof text === 'string' ? parseIsoTime(text) : undefined;
  if (seconds === undefined) {
    throw new LineFault(
      'bad-timestamp',
      '"timestamp" must be a valid date, time and time zone, as in "2025-12-15T14:30:00Z".',
    );
  }
  if (seconds < 0) throw new LineFault('bad-timestamp', '"timestamp" is before 1970.');
  if (seconds > now + FUTURE_MAX_SECONDS) {
    throw new LineFault('bad-timestamp', '"timestamp" is more than a day in the future.');
  }
  return seconds;
}

/** The chain by name or code, if the line has one. @throws LineFault */
export function readChain(record: RawRecord): Chain | undefined {
  const given = record.chain;
  if (given === undefined) return undefined;
  const code = CHAIN_CODES.find((each) => each === given);
  if (code !== undefined) return chainOfCode(code);
  const chain = CHAINS.find((each) => each === given);
  if (chain !== undefined) return chain;
  throw new LineFault(
    'unknown-chain',
    `"chain" must be one of ${CHAINS.join(', ')} (or ${CHAIN_CODES.join(', ')}). You can leave it out: we detect it from the address.`,
  );
}

function notText(field: string, value: unknown): LineFault {
  if (value === undefined) return new LineFault('missing-field', `"${field}" is missing.`);
  const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  return new LineFault('not-a-text', `"${field}" must be a text in quotes; here it is ${found}.`);
}

/** Code points, so an emoji counts as one character. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
