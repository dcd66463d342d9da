import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { expect, it } from 'vitest';

const source = (path: string) =>
  readFileSync(new URL(`../../../../src/${path}`, import.meta.url), 'utf8');

/** A module's code without types, comments, spaces and the endings of imported files. */
function codeOf(text: string): string {
  return text
    .replace(/^\s*\/\*.*?\*\/$/gms, '')
    .replace(/\s+/g, '')
    .replaceAll(/(?<=from'[^']*)\.ts(?=')/g, '.js');
}

it.each([
  ['linking/challenge/secrets.ts', 'secrets.js'],
  ['linking/challenge/key-pair-forms.ts', 'key-pair-forms.js'],
])('the page withholds the same secrets as the chat, by the same code: %s', (chat, page) => {
  const code = stripTypeScriptTypes(source(chat));
  expect(codeOf(source(`http/pages/assets/link/${page}`))).toBe(codeOf(code));
});

const folder = 'linking/challenge/seed-words';

it.each(readdirSync(new URL(`../../../../src/${folder}`, import.meta.url)))(
  'the page can load the words of phrases as they are: %s',
  (name) => {
    const words = source(`${folder}/${name}`);
    expect(stripTypeScriptTypes(words)).toBe(words);
  },
);
