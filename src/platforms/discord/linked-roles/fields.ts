import {
  type APIApplicationRoleConnectionMetadata,
  ApplicationRoleConnectionMetadataType,
  type LocalizationMap,
} from 'discord.js';
import { formatTime } from '#base';
import { LANGUAGES, type Texts, textsFor } from '#command/texts';
import { LOCALES } from '#platforms/discord/command-data';
import type { Figures, RoleMetadata } from '#platforms/role-connections';

/** Metadata servers can set requirements on, in the order Discord shows it. */
const FIELDS = ['score', 'tier', 'rank', 'badges', 'linked'] as const;
type Field = (typeof FIELDS)[number];

const { IntegerGreaterThanOrEqual, IntegerLessThanOrEqual, DatetimeGreaterThanOrEqual } =
  ApplicationRoleConnectionMetadataType;

/**
 * Discord compares days, not dates: with this type a server requires at least this many days since
 * then, though the documentation says the opposite.
 * https://github.com/discord/discord-api-docs/issues/5936
 */
const AT_LEAST_DAYS_AGO = DatetimeGreaterThanOrEqual;

const TYPES: Readonly<Record<Field, ApplicationRoleConnectionMetadataType>> = {
  score: IntegerGreaterThanOrEqual,
  tier: IntegerGreaterThanOrEqual,
  rank: IntegerLessThanOrEqual,
  badges: IntegerGreaterThanOrEqual,
  linked: AT_LEAST_DAYS_AGO,
};

/** https://discord.com/developers/docs/resources/application-role-connection-metadata */
export function metadataRecords(): APIApplicationRoleConnectionMetadata[] {
  const english = textsFor(LANGUAGES[0]).roles;
  return FIELDS.map((key) => ({
    type: TYPES[key],
    key,
    name: english[key].name,
    name_localizations: localised(({ roles }) => roles[key].name),
    description: english[key].about,
    description_localizations: localised(({ roles }) => roles[key].about),
  }));
}

function localised(textOf: (texts: Texts) => string): LocalizationMap {
  return Object.fromEntries(LOCALES.map((locale) => [locale, textOf(textsFor(locale))]));
}

const PLATFORM_NAME = 'Fathom';

/**
 * A member's metadata. Values we don't have are left out, so no requirement on them is met. For
 * members who hide their wallets it's only the tier: Discord shows the metadata to everyone, and a
 * score or rank would identify the wallet.
 * https://discord.com/developers/docs/resources/user#update-current-user-application-role-connection
 */
export function connectionBody({ figures, name, isExact }: RoleMetadata): object {
  const told = isExact === false ? { tier: figures.tier } : valuesOf(figures);
  const values = Object.entries(told).filter(([, value]) => value !== undefined);
  return {
    platform_name: PLATFORM_NAME,
    platform_username: name ?? null,
    metadata: Object.fromEntries(values.map(([key, value]) => [key, String(value)])),
  };
}

function valuesOf({ score, tier, rank, badges, linkedAt }: Figures) {
  return { score, tier, rank, badges, linked: formatTime(linkedAt) } satisfies Record<
    Field,
    unknown
  >;
}
