import type { Caller } from './account.ts';
import type { Call } from './cards/card.ts';
import type { CommandSpec } from './command-spec.ts';

/** Telegram's limit in bytes: https://core.telegram.org/bots/api#inlinekeyboardbutton */
export const CALL_CODE_MAX = 64;

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const ALGORAND_LENGTH = 58;
/** Marks a packed Algorand address: no address contains `.`. */
const PACKED = '.';
const BETWEEN = '!';
/** Characters of an owner's tag. */
const TAG = 4;

/**
 * Encodes a call as the data of a button, complete, so that buttons work after a restart. Layout:
 * the command's letter, the owner's tag, then the options' values in order.
 * @param owner who may press it; undefined for anyone
 * @param most characters that the platform has room for
 * @throws RangeError if it doesn't fit, which is a bug in the command
 */
export function encodeCall(
  call: Call,
  command: CommandSpec,
  owner: Caller | undefined,
  most = CALL_CODE_MAX,
): string {
  const code = codeOf(call, command, owner === undefined ? '' : tagOf(owner));
  if (code === undefined || code.length > most) {
    throw new RangeError(`the call of ${command.name} doesn't fit into a button`);
  }
  return code;
}

/** Whether a button of any owner has room for the call, on every platform. */
export function fitsButton(call: Call, command: CommandSpec): boolean {
  const code = codeOf(call, command, 'A'.repeat(TAG));
  return code !== undefined && code.length <= CALL_CODE_MAX;
}

/** Undefined if a value has what a code can't hold. */
function codeOf(call: Call, command: CommandSpec, tag: string): string | undefined {
  const texts = command.options.map((option) => call.args[option.name] ?? '');
  const code = [command.letter + tag, ...texts.map(pack)].join(BETWEEN).replace(/!+$/, '');
  const isAmbiguous = texts.some((text) => text.includes(BETWEEN) || text.startsWith(PACKED));
  return isAmbiguous || !/^[\x20-\x7e]*$/.test(code) ? undefined : code;
}

/**
 * Decodes a call that `encodeCall` encoded.
 * @returns undefined for data that no version of ours produced
 */
export function decodeCall(
  code: string,
  commands: readonly CommandSpec[],
): { readonly call: Call; readonly isOwner: (caller: Caller) => boolean } | undefined {
  const [head = '', ...values] = code.split(BETWEEN);
  const command = commands.find((each) => each.letter === head[0]);
  if (command === undefined || values.length > command.options.length) return undefined;
  const args: Record<string, string> = {};
  for (const [i, value] of values.entries()) {
    const name = command.options[i]?.name;
    if (name !== undefined && value !== '') args[name] = unpack(value);
  }
  const tag = head.slice(1);
  if (tag.length !== 0 && tag.length !== TAG) return undefined;
  return {
    call: { command: command.name, args },
    isOwner: (caller) => tag === '' || tag === tagOf(caller),
  };
}

/**
 * Four characters: enough to distinguish the members of a chat, and nothing that needs to be kept
 * secret.
 */
function tagOf(caller: Caller): string {
  let hash = 0x811c9dc5;
  for (const character of `${caller.platform}:${caller.id}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return [18, 12, 6, 0].map((shift) => DIGITS[(hash >>> shift) & 63]).join('');
}

/** 58 characters of 5 bits become 49 of 6 bits. */
function pack(value: string): string {
  if (value.length !== ALGORAND_LENGTH || [...value].some((each) => !BASE32.includes(each))) {
    return value;
  }
  return PACKED + regroup(value, BASE32, 5, DIGITS, 6);
}

function unpack(value: string): string {
  if (!value.startsWith(PACKED)) return value;
  return regroup(value.slice(1), DIGITS, 6, BASE32, 5).slice(0, ALGORAND_LENGTH);
}

function regroup(text: string, from: string, bitsIn: number, to: string, bitsOut: number): string {
  let buffer = 0;
  let bits = 0;
  let out = '';
  for (const character of text) {
    buffer = (buffer << bitsIn) | Math.max(0, from.indexOf(character));
    bits += bitsIn;
    while (bits >= bitsOut) {
      bits -= bitsOut;
      out += to[(buffer >>> bits) & ((1 << bitsOut) - 1)];
      buffer &= (1 << bits) - 1;
    }
  }
  if (bits > 0) out += to[(buffer << (bitsOut - bits)) & ((1 << bitsOut) - 1)];
  return out;
}
