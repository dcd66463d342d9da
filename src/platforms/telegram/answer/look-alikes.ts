import { sanitizeText } from '#base';
import { EMBLEMS } from '#command';
import { LANGUAGES, textsFor } from '#command/texts';
import { looksLatin, skeletonOf } from '#names';
import { LABEL_MAX } from '#platforms/telegram/render/blocks';
import { TIERS } from '#reputation';

/**
 * Ids of those whose names could pass for another one's, or for what a message says of people: they choose any name,
 * also that of the first on a board. One alone may do so, too: the other may be on another page.
 * @param names by id
 */
export function lookAlikes(names: ReadonlyMap<string, string>): ReadonlySet<string> {
  const shown = new Map([...names].map(([id, name]) => [id, sanitizeText(name, LABEL_MAX)]));
  const alike = Map.groupBy(shown, ([, name]) => skeletonOf(name).toLowerCase());
  const found = [...alike.values()].flatMap((all) =>
    all.filter(([, name]) => all.length > 1 || looksLatin(name) || hasStandIn(name) || says(name)),
  );
  return new Set(found.map(([id]) => id));
}

/**
 * Signs in a letter's place: `aIice`, `a1ice`, `a|ice`. No sign is a capital behind `Mc`, which begins a name, nor the 0 of
 * `0x`.
 */
const STAND_IN =
  /(?<!\bMc|\bMac)(?<=\p{Ll})I(?=\p{Ll})|(?!0x)(?<!\p{Nd})[01]+(?=\p{Ll})|\|(?=\p{L})|(?<=\p{L})\|/u;

function hasStandIn(name: string): boolean {
  return STAND_IN.test(name);
}

/** An ID, alone or in brackets behind a name; a username; what parts a name from its points, or marks the asker. */
const OUR_FORMS =
  /^\p{Nd}{4,}$|[([{]\s*\p{Nd}{4,}\s*[)\]}]|@\p{L}|\s[\u00b7\u2022\u2027\u2219\u22c5\u30fb]\s|\u25b8/u;
/** Points with a tier's emblem. */
const POINTS = new RegExp(`\\p{Nd}.*(?:${TIERS.map((tier) => EMBLEMS[tier]).join('|')})`, 'u');

/** Such as `Alice (123456789)`, `@alice`, `Alice · 9,000 🔱` and `Alice is a Titan now`. */
function says(name: string): boolean {
  const plain = name.normalize('NFKC');
  if (OUR_FORMS.test(plain) || POINTS.test(plain)) return true;
  const skeleton = skeletonIn(name);
  return LANGUAGES.some((language) =>
    Object.values(textsFor(language).announce.isNow).some((words) =>
      skeleton.includes(skeletonIn(words)),
    ),
  );
}

/** A text by its letters, whatever their case and accents. */
function skeletonIn(text: string): string {
  return skeletonOf(text.toLowerCase()).replaceAll(/\p{M}/gu, '');
}
