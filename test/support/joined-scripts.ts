import { posix } from 'node:path';
import type { FastifyInstance } from 'fastify';

type Scripts = ReadonlyMap<string, string>;

/** By the path of the first one. */
const joined = new Map<string, Promise<Scripts>>();

/**
 * From now on, browsers load few scripts from this server in place of many, which takes a sixth off a visit: tests
 * visit many hundred times. Other programs get them as they are, and so do those who visit the whole service.
 * @param entry the path of the script that the page names
 */
export function joinScripts(app: FastifyInstance, entry: string): void {
  app.addHook('onRequest', async ({ url, headers }, reply) => {
    if (headers['sec-fetch-dest'] !== 'script' || !url.startsWith(posix.dirname(entry))) return;
    let scripts = joined.get(entry);
    if (scripts === undefined) {
      scripts = join(entry, `http://${headers.host}`);
      joined.set(entry, scripts);
    }
    const script = (await scripts).get(url);
    if (script !== undefined) await reply.type('text/javascript; charset=utf-8').send(script);
  });
}

async function join(entry: string, origin: string): Promise<Scripts> {
  const { rolldown } = await import('rolldown');
  const folder = posix.dirname(entry);
  const bundle = await rolldown({
    input: entry,
    logLevel: 'silent',
    plugins: [
      {
        name: 'of-the-server',
        resolveId(source, importer = entry) {
          // No module, and not every server has it.
          if (source.endsWith('/sign-client.js')) return { id: source, external: true };
          return posix.resolve(posix.dirname(importer), source);
        },
        async load(id) {
          const response = await fetch(origin + id);
          if (!response.ok) throw new Error(`${id}: ${response.status}`);
          return await response.text();
        },
      },
    ],
  });
  // What is loaded later stays apart, under its own name.
  const { output } = await bundle.generate({
    entryFileNames: posix.basename(entry),
    chunkFileNames: '[name].js',
  });
  await bundle.close();
  return new Map(
    output.flatMap((each) =>
      each.type === 'chunk' ? [[`${folder}/${each.fileName}`, each.code] as const] : [],
    ),
  );
}
