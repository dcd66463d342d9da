/** What Discord rejects in a list of commands although its specification doesn't say so. */

type Loose = Readonly<Record<string, unknown>>;

/** https://discord.com/developers/docs/interactions/application-commands#application-command-object-application-command-naming */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Devanagari}\p{sc=Thai}]{1,32}$/u;
const TYPED = 1;
const ON_USER = 2;
const ENTRY_POINT = 4;
const LOCALES = new Set(
  'id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja zh-TW ko'.split(
    ' ',
  ),
);

const list = (value: unknown): readonly Loose[] =>
  Array.isArray(value) ? (value as readonly Loose[]) : [];
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const words = (value: unknown): [string, string][] =>
  Object.entries((value ?? {}) as Record<string, string>);

export function faultsOfCommands(commands: unknown): string[] {
  const all = list(commands);
  const faults = all.flatMap((command) =>
    [
      ...(command.type === ON_USER ? faultsInMenu(command) : faultsOfNamed(command)),
      ...faultsOfOptions(command),
    ].map((fault) => `/${command.name}: ${fault}`),
  );
  for (const type of [TYPED, ON_USER]) {
    const names = all.filter((each) => (each.type ?? TYPED) === type).map(({ name }) => name);
    if (new Set(names).size < names.length) faults.push('a name twice');
    const most = type === TYPED ? 100 : 15;
    if (names.length > most) faults.push(`over ${most} commands of type ${type}`);
  }
  for (const command of all) {
    const size = sizeOf(command);
    if (size > 8000) faults.push(`/${command.name}: ${size} characters, over 8,000`);
  }
  return faults;
}

function faultsOfNamed(named: Loose): string[] {
  const faults: string[] = [];
  for (const name of [
    text(named.name),
    ...words(named.name_localizations).map(([, each]) => each),
  ]) {
    if (!NAME.test(name)) faults.push(`the name ${name}`);
    if (name !== name.toLowerCase()) faults.push(`the upper-case name ${name}`);
  }
  const abouts = words(named.description_localizations).map(([, each]) => each);
  // Only typed commands and their options have a description, not an Activity's entry point.
  const typed = named.type !== ENTRY_POINT || 'required' in named;
  for (const about of typed ? [text(named.description), ...abouts] : []) {
    if (about.trim() === '' || about.length > 100) faults.push(`the description ${about}`);
  }
  for (const [locale] of [
    ...words(named.name_localizations),
    ...words(named.description_localizations),
  ]) {
    if (!LOCALES.has(locale)) faults.push(`the locale ${locale}`);
  }
  return faults;
}

/** Names in the menu on a user may have capitals and spaces; nothing else is said there. */
function faultsInMenu(command: Loose): string[] {
  const names = [text(command.name), ...words(command.name_localizations).map(([, each]) => each)];
  const faults = names
    .filter((name) => name.trim() === '' || name.length > 32)
    .map((name) => `the name ${name}`);
  if (text(command.description) !== '') faults.push('a description in a menu');
  if (words(command.description_localizations).length > 0) faults.push('a description in a menu');
  if (command.options !== undefined) faults.push('options in a menu');
  return faults;
}

const SUBCOMMAND = 1;

function faultsOfOptions(command: Loose): string[] {
  const options = list(command.options);
  const faults = options.flatMap(faultsOfOption);
  const subcommands = options.filter(({ type }) => type === SUBCOMMAND);
  if (subcommands.length > 0 && subcommands.length < options.length) {
    faults.push('subcommands beside options');
  }
  if (options.length > 25) faults.push('over 25 options');
  const firstFree = options.findIndex(({ required }) => required !== true);
  if (firstFree >= 0 && options.slice(firstFree).some(({ required }) => required === true)) {
    faults.push('a required option after an optional one');
  }
  for (const locale of ['', ...LOCALES]) {
    const names = options.map(
      (option) => (option.name_localizations as Loose | null)?.[locale] ?? option.name,
    );
    if (new Set(names).size < names.length) faults.push(`two options of one name in ${locale}`);
  }
  return faults;
}

function faultsOfOption(option: Loose): string[] {
  const faults = faultsOfNamed(option);
  if (option.type === SUBCOMMAND) {
    if ('required' in option) faults.push('a subcommand that is required');
    if (list(option.options).some(({ type }) => Number(type) <= 2)) faults.push('a third level');
    return [...faults, ...faultsOfOptions(option)];
  }
  if (option.options !== undefined) faults.push('options of an option');
  const choices = list(option.choices);
  const channels = option.channel_types;
  if (channels !== undefined && (option.type !== 7 || !Array.isArray(channels))) {
    faults.push('kinds of channels for what is none');
  }
  if (choices.length > 0 && option.autocomplete === true) faults.push('choices with autocomplete');
  if (choices.length > 25) faults.push('over 25 choices');
  if (new Set(choices.map(({ name }) => name)).size < choices.length) faults.push('a choice twice');
  for (const { name, value } of choices) {
    if (text(name) === '' || text(name).length > 100) faults.push(`the choice ${name}`);
    if (typeof value === 'string' && (value === '' || value.length > 100))
      faults.push(`value ${value}`);
  }
  if (Number(option.min_value ?? 0) > Number(option.max_value ?? Number.POSITIVE_INFINITY)) {
    faults.push('a range that is none');
  }
  return faults;
}

/** Names, descriptions and values, each in its longest language. */
function sizeOf(named: Loose): number {
  const longest = (own: unknown, others: unknown) =>
    Math.max(text(own).length, ...words(others).map(([, each]) => each.length));
  return (
    longest(named.name, named.name_localizations) +
    longest(named.description, named.description_localizations) +
    (typeof named.value === 'string' ? named.value.length : 0) +
    [...list(named.options), ...list(named.choices)].reduce((sum, part) => sum + sizeOf(part), 0)
  );
}
