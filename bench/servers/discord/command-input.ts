import type { User } from './world.ts';

/** An entity of a server, or the URL of an upload, passed to an option. */
type Given = { readonly role: string } | { readonly channel: string } | { readonly upload: string };

/** What is passed to a command's options, including users and other entities. */
export type Args = Readonly<Record<string, string | number | User | Given>>;

const SUBCOMMAND = 1;
const TEXT = 3;
const INTEGER = 4;
const USER = 6;
const CHANNEL = 7;
const ROLE = 8;
const ATTACHMENT = 11;
/** Of the only upload that a command has. */
const UPLOAD = '1100000000000000001';

/** A command in Discord's format. @param typed its name, with a subcommand after a space */
export function dataOf(id: string, typed: string, args: Args) {
  const options = Object.entries(args).map(([name, value]) => ({ name, ...givenAs(value) }));
  return { ...named(id, typed, options), ...resolvedOf(Object.values(args)) };
}

/** A command from the menu on a user, in Discord's format. */
export function menuOf(id: string, name: string, target: User) {
  return { id, type: 2, name, target_id: target.id, resolved: { users: { [target.id]: target } } };
}

/** The same while someone is typing an option. */
export function typingOf(id: string, command: string, option: string, text: string) {
  return named(id, command, [{ name: option, type: TEXT, value: text, focused: true }]);
}

function named(id: string, typed: string, options: readonly object[]) {
  const [name = '', subcommand] = typed.split(' ');
  return {
    id,
    type: 1,
    name,
    options: subcommand === undefined ? options : [{ name: subcommand, type: SUBCOMMAND, options }],
  };
}

function givenAs(value: Args[string]) {
  if (typeof value === 'string') return { type: TEXT, value };
  if (typeof value === 'number') return { type: INTEGER, value };
  if ('role' in value) return { type: ROLE, value: value.role };
  if ('channel' in value) return { type: CHANNEL, value: value.channel };
  if ('upload' in value) return { type: ATTACHMENT, value: UPLOAD };
  return { type: USER, value: value.id };
}

function resolvedOf(values: readonly Args[string][]) {
  const users: Record<string, unknown> = {};
  const roles: Record<string, unknown> = {};
  const channels: Record<string, unknown> = {};
  const attachments: Record<string, unknown> = {};
  for (const value of values) {
    if (typeof value !== 'object') continue;
    if ('role' in value) roles[value.role] = { id: value.role };
    else if ('channel' in value) channels[value.channel] = { id: value.channel, type: 0 };
    else if ('upload' in value) {
      const { upload: url } = value;
      const file = { filename: 'sea.png', size: 1_000, content_type: 'image/png' };
      attachments[UPLOAD] = { id: UPLOAD, ...file, url, proxy_url: url };
    } else users[value.id] = value;
  }
  const given = Object.entries({ users, roles, channels, attachments }).filter(
    ([, things]) => Object.keys(things).length > 0,
  );
  return given.length === 0 ? {} : { resolved: Object.fromEntries(given) };
}
