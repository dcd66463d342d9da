/** Bounds of the import format. Lengths of texts are in characters (code points). */

export const ACTIVITY_DESCRIPTION_MAX = 1_000;
/** The most characters of a badge's name and of a wallet's display name. */
export const NAME_MAX = 100;
export const TYPE_MAX = 64;
export const BADGE_ID_MAX = 64;
export const IMAGE_URL_MAX = 2_048;
export const SOURCE_MAX = 512;

/** The most arguments of an event. */
export const ARGUMENTS_MAX = 32;
export const ARGUMENT_NAME_MAX = 64;
export const ARGUMENT_MAX = 1_000;

/** The largest amount of points, either way. */
export const ACTIVITY_POINTS_MAX = 1_000_000_000;

/**
 * Activities and corrections of one wallet: with those of the rules (`RULE_POINTS_MAX` each), every
 * sum of their points stays below 2^53, so it is exact. A correction changes points by up to twice
 * the largest amount.
 */
export const ACTIVITIES_MAX = 4_000_000;

/** Bytes of a whole line, without its line break. */
export const LINE_MAX_BYTES = 64 * 1024;

/** How far ahead of our clock a timestamp may be, in seconds: clocks differ, and so do zones. */
export const FUTURE_MAX_SECONDS = 86_400;
