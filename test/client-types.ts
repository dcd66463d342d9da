import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { clientDocument, firstLine } from './support/openapi/client-document.ts';

/**
 * `npm ci && npm run types` in client/: regenerates the client's types after a change of /openapi.json. The
 * generator lives there because it needs an older compiler than ours.
 */
const CLIENT = new URL('../client/', import.meta.url);

const document = clientDocument();
const generator = fileURLToPath(new URL('node_modules/.bin/openapi-typescript', CLIENT));
const types = execFileSync(generator, { input: document, encoding: 'utf8' });
writeFileSync(new URL('src/openapi.ts', CLIENT), `${firstLine(document)}\n\n${types}`);
