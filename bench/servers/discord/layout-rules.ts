/**
 * What Discord rejects in a message of components alone (Components V2), by hand from
 * https://discord.com/developers/docs/components/reference.
 */

type Loose = Readonly<Record<string, unknown>>;

/** Flag of a message that consists of components alone. */
export const LAYOUT_FLAG = 1 << 15;

/** Components of a message, nested ones included. */
const MOST_COMPONENTS = 40;
/** Characters of all its texts. */
const MOST_TEXT = 4_000;

const ROW = 1;
const SECTION = 9;
const TEXT = 10;
const THUMBNAIL = 11;
const GALLERY = 12;
const FILE = 13;
const SEPARATOR = 14;
const CONTAINER = 17;
const LAYOUT = new Set([SECTION, TEXT, THUMBNAIL, GALLERY, FILE, SEPARATOR, CONTAINER]);
const IN_CONTAINER = new Set([ROW, SECTION, TEXT, GALLERY, FILE, SEPARATOR]);
const LEGACY = ['content', 'embeds', 'poll', 'sticker_ids'];

/** What the message was before an edit. */
export interface MessageBefore {
  readonly body: Loose;
  readonly isLayout: boolean;
}

const list = (value: unknown): readonly Loose[] =>
  Array.isArray(value) ? (value as readonly Loose[]) : [];
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  list(value).length + text(value).length === 0;

/** Whether a message consists of components alone, or does after this edit. */
export function isLayout({ flags }: Loose, before?: MessageBefore): boolean {
  return (Number(flags ?? 0) & LAYOUT_FLAG) !== 0 || before?.isLayout === true;
}

/** All components, nested ones included. */
export function componentsOf(message: Loose): Loose[] {
  const within = (part: Loose): Loose[] => [
    part,
    ...list(part.components).flatMap(within),
    ...(typeof part.accessory === 'object' && part.accessory !== null
      ? within(part.accessory as Loose)
      : []),
  ];
  return list(message.components).flatMap(within);
}

/** Parts of layouts in a message without the flag. */
export function faultsOfLegacyComponents(message: Loose): string[] {
  const found = componentsOf(message).find(({ type }) => LAYOUT.has(Number(type)));
  return found === undefined ? [] : [`a component of type ${found.type} without the flag`];
}

/** @param names of the files that it has then */
export function faultsOfLayout(
  message: Loose,
  names: readonly string[],
  before?: MessageBefore,
): string[] {
  const faults: string[] = [];
  for (const name of LEGACY) {
    if (!isEmpty(message[name])) faults.push(`${name} beside components alone`);
    const isLeft = message[name] === undefined && !isEmpty(before?.body[name]);
    if (isLeft && before?.isLayout === false) faults.push(`${name} of the old message stays`);
  }
  const all = componentsOf(message);
  if (message.components !== undefined && all.length === 0) faults.push('an empty message');
  if (all.length > MOST_COMPONENTS) faults.push(`${all.length} components`);
  const texts = all.filter(({ type }) => type === TEXT).map(({ content }) => text(content));
  if (texts.some((each) => each.trim() === '')) faults.push('a blank text');
  const length = texts.reduce((sum, each) => sum + each.length, 0);
  if (length > MOST_TEXT) faults.push(`texts of ${length} characters`);
  faults.push(...all.flatMap(faultsOfPart));
  const urls = all.flatMap(urlsOf);
  for (const { url, isUpload } of urls) {
    const name = /^attachment:\/\/(.+)$/.exec(url)?.[1];
    if (name !== undefined && !names.includes(name)) faults.push(`no attachment ${name}`);
    if (name === undefined && (isUpload || !/^https?:\/\/\S+$/.test(url)))
      faults.push(`media at ${url}`);
  }
  for (const name of names) {
    if (!urls.some(({ url }) => url === `attachment://${name}`)) {
      faults.push(`the attachment ${name} is in no component`);
    }
  }
  return faults;
}

function faultsOfPart(part: Loose): string[] {
  const children = list(part.components);
  switch (part.type) {
    case CONTAINER: {
      const strange = children.find(({ type }) => !IN_CONTAINER.has(Number(type)));
      if (children.length === 0) return ['an empty container'];
      return strange === undefined ? [] : [`type ${strange.type} in a container`];
    }
    case SECTION: {
      const isText = children.every(({ type }) => type === TEXT);
      const accessory = Number((part.accessory as Loose | undefined)?.type);
      const isRight = children.length >= 1 && children.length <= 3 && isText;
      return isRight && (accessory === 2 || accessory === THUMBNAIL) ? [] : ['a wrong section'];
    }
    case GALLERY:
      return list(part.items).length >= 1 && list(part.items).length <= 10
        ? []
        : ['a wrong gallery'];
    default:
      return [];
  }
}

/** Where a component's media are. */
function urlsOf(part: Loose): { readonly url: string; readonly isUpload: boolean }[] {
  const at = (media: unknown) => text((media as Loose | undefined)?.url);
  if (part.type === THUMBNAIL) return [{ url: at(part.media), isUpload: false }];
  if (part.type === FILE) return [{ url: at(part.file), isUpload: true }];
  if (part.type !== GALLERY) return [];
  return list(part.items).map(({ media }) => ({ url: at(media), isUpload: false }));
}
