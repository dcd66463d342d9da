/**
 * What Discord rejects although its specification doesn't say so, and what this project requires of
 * itself. Written by hand from https://discord.com/developers/docs; it holds without the
 * specification too.
 */

import {
  componentsOf,
  faultsOfLayout,
  faultsOfLegacyComponents,
  isLayout,
  type MessageBefore,
} from './layout-rules.ts';

type Loose = Readonly<Record<string, unknown>>;

const list = (value: unknown): readonly Loose[] =>
  Array.isArray(value) ? (value as readonly Loose[]) : [];
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Faults of a message being sent or edited.
 * @param names of the files that it has then
 * @param before what is edited
 */
export function faultsOfMessage(
  message: Loose,
  names: readonly string[] = [],
  before?: MessageBefore,
): string[] {
  const faults: string[] = isLayout(message, before)
    ? faultsOfLayout(message, names, before)
    : faultsOfLegacy(message);
  const mentions = message.allowed_mentions as Loose | undefined;
  if (!Array.isArray(mentions?.parse) || mentions.parse.length > 0) {
    faults.push('the message may notify people: allowed_mentions must be { parse: [] }');
  }
  const rows = componentsOf(message).filter(({ type }) => type === 1);
  faults.push(...faultsOfRows(rows), ...faultsOfTexts(message));
  return faults;
}

function faultsOfLegacy(message: Loose): string[] {
  const faults = faultsOfLegacyComponents(message);
  const embeds = list(message.embeds);
  const rows = list(message.components);
  if (text(message.content).trim() === '' && embeds.length === 0) faults.push('an empty message');
  if (text(message.content).length > 2000) faults.push('content over 2,000');
  if (embeds.length > 10) faults.push('over 10 embeds');
  if (rows.length > 5) faults.push('over 5 rows');
  if (rows.some(({ type }) => type !== 1)) faults.push('a component outside of a row');
  const all = embeds.reduce((sum, embed) => sum + sizeOfEmbed(embed), 0);
  if (all > 6000) faults.push(`embeds of ${all} characters, over 6,000 in all`);
  return [...faults, ...embeds.flatMap(faultsOfEmbed)];
}

function sizeOfEmbed(embed: Loose): number {
  const fields = list(embed.fields).map(({ name, value }) => text(name) + text(value));
  const { footer, author } = embed as { footer?: Loose; author?: Loose };
  return [
    text(embed.title),
    text(embed.description),
    text(footer?.text),
    text(author?.name),
    ...fields,
  ].join('').length;
}

function faultsOfEmbed(embed: Loose): string[] {
  const faults: string[] = [];
  const within = (name: string, value: unknown, most: number, needed = false) => {
    const length = text(value).trim().length;
    if (needed && length === 0) faults.push(`${name} is empty`);
    if (value !== undefined && length === 0) faults.push(`${name} is blank`);
    if (text(value).length > most) faults.push(`${name} over ${most}`);
  };
  within('title', embed.title, 256);
  within('description', embed.description, 4096);
  const { footer } = embed as { footer?: Loose };
  if (footer !== undefined) within('footer', footer.text, 2048, true);
  const fields = list(embed.fields);
  if (fields.length > 25) faults.push('over 25 fields');
  for (const { name, value } of fields) {
    within('field name', name, 256, true);
    within('field value', value, 1024, true);
  }
  const { color } = embed;
  if (
    color !== undefined &&
    !(Number.isInteger(color) && Number(color) >= 0 && Number(color) <= 0xffffff)
  ) {
    faults.push('a colour that is none');
  }
  return faults;
}

function faultsOfRows(rows: readonly Loose[]): string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  for (const row of rows) {
    const parts = list(row.components);
    if (parts.length === 0) faults.push('an empty row');
    const menus = parts.filter(({ type }) => type === 3).length;
    if (parts.length > (menus > 0 ? 1 : 5)) faults.push('too much in a row');
    for (const part of parts) {
      const id = text(part.custom_id);
      if (id !== '' && ids.has(id)) faults.push(`duplicate custom_id ${id}`);
      ids.add(id);
      if (id.length > 100) faults.push('custom_id over 100');
      faults.push(...(part.type === 3 ? faultsOfMenu(part) : faultsOfButton(part)));
    }
  }
  return faults;
}

function faultsOfButton(button: Loose): string[] {
  const faults: string[] = [];
  if (button.type !== 2) return ['neither a button nor a menu'];
  const label = text(button.label);
  if (label.trim() === '') faults.push('a button without a label');
  if (label.length > 80) faults.push('a label over 80');
  if (button.style === 5) {
    if (button.custom_id !== undefined) faults.push('a link button with custom_id');
    if (!/^(https?|discord):\/\/\S+$/.test(text(button.url))) faults.push('a link to nowhere');
    if (text(button.url).length > 512) faults.push('a link over 512');
  } else {
    if (text(button.custom_id) === '') faults.push('a button without custom_id');
    if (button.url !== undefined) faults.push('a url on a button that is no link');
  }
  return faults;
}

function faultsOfMenu(menu: Loose): string[] {
  const faults: string[] = [];
  const options = list(menu.options);
  if (text(menu.custom_id) === '') faults.push('a menu without custom_id');
  if (options.length === 0 || options.length > 25) faults.push(`a menu of ${options.length}`);
  if (text(menu.placeholder).length > 150) faults.push('placeholder over 150');
  if (new Set(options.map(({ value }) => value)).size < options.length) {
    faults.push('a menu with a value twice');
  }
  for (const { label, value, description } of options) {
    for (const [name, part] of Object.entries({ label, value, description })) {
      if (part === undefined && name === 'description') continue;
      if (text(part).trim() === '' || text(part).length > 100) faults.push(`menu ${name}: ${part}`);
    }
  }
  return faults;
}

/** Half a surrogate pair isn't valid text; Discord rejects the whole body. */
function faultsOfTexts(value: unknown): string[] {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [`not well-formed: ${value}`];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(faultsOfTexts);
}
