import { readFileSync, writeFileSync } from 'node:fs';
import { openApiDocument } from '#http/api/docs/openapi';
import { ROUTES } from '#http/api/resources/index';
import type { Document } from './document.ts';

const FILE = new URL('../../http/api/openapi-released.json', import.meta.url);

/** The last release's document, without texts and examples, which may change at any time. */
export function releasedDocument(): Document {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Document;
}

/** The current document in the same form. */
export function currentDocument(): Document {
  const limits = { public: 100, key: 1000 };
  const options = { publicUrl: undefined, origin: 'http://127.0.0.1:8080', limits };
  return withoutTexts(openApiDocument(ROUTES, options)) as Document;
}

/** Makes the current document the released one. */
export function release(): void {
  writeFileSync(FILE, `${JSON.stringify(currentDocument())}\n`);
}

const TEXTS = new Set(['description', 'summary', 'example', 'examples', 'x-example-request']);

function withoutTexts(document: object): unknown {
  const text = JSON.stringify(document, (key, value: unknown) =>
    // A body's field may have such a name; then it's a schema.
    TEXTS.has(key) && !isSchema(value) ? undefined : value,
  );
  return JSON.parse(text);
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value;
}
