import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CLIENT, OPENAPI_FETCH } from '../support/client-package.ts';
import { clientDocument, firstLine } from '../support/openapi/client-document.ts';

const packageFile = (path: string) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));

it("The client's types are those of the current document", () => {
  const [first] = readFileSync(join(CLIENT, 'src/openapi.ts'), 'utf8').split('\n', 1);
  // If this fails: npm ci && npm run types, in client/.
  expect(first).toBe(firstLine(clientDocument()));
});

it('The client depends on openapi-fetch alone, on the version that it is tested with', () => {
  const { dependencies } = packageFile(CLIENT);
  expect(dependencies).toEqual({ 'openapi-fetch': packageFile(OPENAPI_FETCH).version });
});

it('Resolvers that don’t know `exports`, such as TypeScript’s node10, find the same files', () => {
  const { main, types, exports } = packageFile(CLIENT);
  expect({ types, default: main }).toEqual(exports['.']);
});
