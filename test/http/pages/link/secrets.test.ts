import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { expect, it } from 'vitest';

const source = (path: string) =>
  readFileSync(new URL(`../../../../src/${path}`, import.meta.url), 'utf8');

/** A module's code without types, comments and spaces. */
function codeOf(text: string): string {
  return text.replace(/^\s*\/\*.*?\*\/$/gms, '').replace(/\s+/g, '');
}

it('the page withholds the same secrets as the chat, by the same code', () => {
  const chat = stripTypeScriptTypes(source('linking/challenge/secrets.ts'));
  expect(codeOf(source('http/pages/assets/link/secrets.js'))).toBe(codeOf(chat));
});
