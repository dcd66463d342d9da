import { isDeepStrictEqual } from 'node:util';
import type { Document, Schema } from './document.ts';

/** Limits, by whether a greater value allows more. */
const LIMITS = [
  ['minimum', false],
  ['minLength', false],
  ['minItems', false],
  ['maximum', true],
  ['maxLength', true],
  ['maxItems', true],
  ['x-applied-maximum', true],
] as const;

/** What a parameter no longer accepts, or what its meaning changed to. */
export function requestChanges(before: Schema, after: Schema): string[] {
  const changes = sameKeywords(before, after, ['type', 'format', 'pattern', 'default']);
  for (const value of before.enum ?? []) {
    if (after.enum?.includes(value) === false) changes.push(`no longer takes ${value}`);
  }
  if (before.enum === undefined && after.enum !== undefined) changes.push('takes fewer values');
  for (const [limit, isMost] of LIMITS) {
    if (isLower(before[limit], after[limit], isMost)) changes.push(`has a narrower ${limit}`);
  }
  if (before.items !== undefined) {
    changes.push(...requestChanges(before.items, after.items ?? {}).map((each) => `[] ${each}`));
  }
  return changes;
}

/**
 * What breaks a client that reads the released form.
 * @param at the path within the response
 */
export function responseChanges(
  released: Document,
  before: Schema,
  current: Document,
  after: Schema,
  at: string,
): string[] {
  const was = resolved(released, before);
  const is = resolved(current, after);
  const changes = sameKeywords(was, is, ['type', 'format', 'pattern']).map(
    (each) => `${at} ${each}`,
  );
  if (!isOpen(is) && !isDeepStrictEqual(was.enum?.toSorted(), is.enum?.toSorted())) {
    changes.push(`${at} has other values`);
  }
  for (const lost of isOpen(is) ? (was.enum ?? []) : []) {
    if (is.enum?.includes(lost) !== true) changes.push(`${at} lost ${lost}`);
  }
  for (const [limit, isMost] of LIMITS) {
    if (isLower(is[limit], was[limit], isMost)) changes.push(`${at} has a wider ${limit}`);
  }
  for (const [name, field] of Object.entries(was.properties ?? {})) {
    const now = is.properties?.[name];
    const place = `${at}.${name}`;
    if (now === undefined) changes.push(`${place} is gone`);
    else changes.push(...responseChanges(released, field, current, now, place));
    const isRequired = (schema: Schema) => schema.required?.includes(name) === true;
    if (isRequired(was) && !isRequired(is)) changes.push(`${place} may be missing`);
  }
  if (was.items !== undefined) {
    changes.push(...responseChanges(released, was.items, current, is.items ?? {}, `${at}[]`));
  }
  return [...changes, ...choiceChanges(released, was, current, is, at)];
}

/** If a value may have one of several forms, a client knows the released ones. */
function choiceChanges(
  released: Document,
  was: Schema,
  current: Document,
  is: Schema,
  at: string,
): string[] {
  if (was.oneOf?.length !== is.oneOf?.length) return [`${at} has other forms`];
  return (was.oneOf ?? []).flatMap((each, i) =>
    responseChanges(released, each, current, is.oneOf?.[i] ?? {}, `${at}(${i})`),
  );
}

/** Error codes are open: a new kind of error has a new code in the same form. */
function isOpen({ enum: values }: Schema): boolean {
  return values?.includes('route-not-found') === true;
}

function sameKeywords(
  before: Schema,
  after: Schema,
  keywords: readonly (keyof Schema)[],
): string[] {
  return keywords.flatMap((keyword) =>
    isDeepStrictEqual(before[keyword], after[keyword]) ? [] : [`has another ${keyword}`],
  );
}

/** Whether a limit allows less than before; no limit allows everything. */
function isLower(before: number | undefined, after: number | undefined, isMost: boolean): boolean {
  if (after === undefined) return false;
  if (before === undefined) return true;
  return isMost ? after < before : after > before;
}

function resolved(document: Document, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
}
