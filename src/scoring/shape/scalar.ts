import { hasVisibleText, nearest, unfitCharacter } from '#base';
import { type Faults, found, quoted } from '#scoring/faults';
import type { Path, RulesNode } from '#scoring/tree';
import type { JsonSchema, Shape } from './shape.ts';

interface TextOptions {
  readonly accepts: string;
  readonly form: RegExp;
  readonly example?: string;
  /** It may be a secret typed by mistake, so it isn't repeated. */
  readonly isSecret?: boolean;
}

/** Where a text is expected, an editor's YAML parser may see a number: `0x5aAe…`, `2024`. */
const TEXT_TYPES = ['string', 'number'] as const;

/** A text that matches a pattern. */
export function text(options: TextOptions): Shape<string> {
  const { accepts, form, example, isSecret = false } = options;
  return {
    accepts,
    schema: {
      type: TEXT_TYPES,
      pattern: form.source,
      description: accepts,
      ...(example !== undefined && { examples: [example] }),
    },
    read(node, path, faults) {
      const typed = textAt(node, path, faults, accepts, isSecret);
      if (typed === undefined) return undefined;
      if (form.test(typed)) return typed;
      faults.add(node.at, path, expected(accepts, isSecret ? 'something else' : found(node)));
      return undefined;
    },
  };
}

/** A text for people: 1 to `max` characters (code points) on one line. */
export function prose(max: number, mayBeEmpty = false): Shape<string> {
  const accepts = `text of ${mayBeEmpty ? 'at most' : '1 to'} ${max} characters in one line`;
  return {
    accepts,
    schema: { type: TEXT_TYPES, description: accepts },
    read(node, path, faults) {
      const typed = textAt(node, path, faults, accepts, false);
      if (typed === undefined) return undefined;
      const length = [...typed].length;
      const isEmpty = !hasVisibleText(typed);
      const unfit = unfitCharacter(typed);
      if (length <= max && (mayBeEmpty || !isEmpty) && unfit === undefined) return typed;
      const what = length > max ? `${length} characters` : isEmpty ? 'nothing to see' : found(node);
      faults.add(node.at, path, expected(accepts, unfit ?? what));
      return undefined;
    },
  };
}

const INTEGER = /^-?\d{1,100}$/;

/**
 * A whole number, exact at any size.
 * @param read what is read, where what is refused beyond `min` and `max` is for others to say
 */
export function integer(min: bigint, max: bigint, read = { min, max }): Shape<bigint> {
  const accepts = `an integer from ${min} to ${max}`;
  const isSafe = min >= -(2n ** 53n) && max < 2n ** 53n;
  return {
    accepts,
    schema: {
      type: ['integer', 'string'],
      pattern: INTEGER.source,
      description: accepts,
      ...(isSafe && { minimum: Number(min), maximum: Number(max) }),
    },
    read(node, path, faults) {
      const typed = textAt(node, path, faults, accepts, false);
      if (typed === undefined) return undefined;
      const value = INTEGER.test(typed) ? BigInt(typed) : undefined;
      if (value !== undefined && value >= read.min && value <= read.max) return value;
      faults.add(node.at, path, expected(accepts, found(node)));
      return undefined;
    },
  };
}

/** One of some words. */
export function choice<const W extends string>(words: readonly W[]): Shape<W> {
  const accepts = words.length === 1 ? `${words[0]}` : `one of ${words.join(', ')}`;
  // An editor's YAML parser sees a number in `fathom: 1`, and a boolean in `soulbound: true`.
  const schema: JsonSchema = {
    type: ['string', 'integer', 'boolean'],
    pattern: `^(${words.join('|')})$`,
    description: accepts,
  };
  return {
    accepts,
    schema,
    read(node, path, faults) {
      const typed = textAt(node, path, faults, accepts, false);
      if (typed === undefined) return undefined;
      const word = words.find((each) => each === typed);
      if (word === undefined) {
        const meant = nearest(typed, words);
        const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
        faults.add(node.at, path, `${expected(accepts, found(node))}${hint}`);
      }
      return word;
    },
  };
}

/** `Expected an integer; found "x".` */
export function expected(accepts: string, what: string): string {
  return `Expected ${accepts}; found ${what}.`;
}

function textAt(
  node: RulesNode,
  path: Path,
  faults: Faults,
  accepts: string,
  isSecret: boolean,
): string | undefined {
  if (node.kind === 'text') return node.text;
  faults.add(node.at, path, expected(accepts, isSecret ? 'something else' : found(node)));
  return undefined;
}

/** An unknown word, with the one that was probably meant. */
export function unknownWord(what: string, word: string, words: readonly string[]): string {
  const meant = nearest(word, words);
  const list = words.length === 0 ? 'There are none.' : `Known: ${words.join(', ')}.`;
  return meant === undefined
    ? `Unknown ${what} ${quoted(word)}. ${list}`
    : `Unknown ${what} ${quoted(word)}. Did you mean ${meant}?`;
}
