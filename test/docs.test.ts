import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '#app/config';
import { cliCommands } from '#cli/commands';
import { dispatch } from '#cli/dispatch';
import { readTemplate } from '#scoring/rules-file/templates/template';
import { CONNECTIONS, CONNECTIONS_PER_REPLICA } from '#storage/postgres/connections';
import { WEBHOOK_EVENTS } from '#webhooks/webhook';
import { inlineCommands, PAGES, shownCommands, splitShell } from './support/docs-commands.ts';

const ROOT = new URL('..', import.meta.url).pathname;
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const SCRIPTS = ['package.json', 'client/package.json'].flatMap((file) =>
  Object.keys((JSON.parse(read(file)) as { scripts: object }).scripts),
);

/** What the command line says to arguments, without doing anything. */
async function saidTo(args: readonly string[]): Promise<string> {
  let said = '';
  const stream = {
    write: (text: string) => {
      said += text;
    },
  } as never;
  const idle = cliCommands.map((command) => ({ ...command, run: async () => 0 }));
  const code = await dispatch(idle, args, { env: {}, stdout: stream, stderr: stream });
  return code === 0 ? '' : said;
}

describe.each(PAGES)('%s', (page) => {
  const text = read(page);

  it('shows only commands of fathom that exist, with their options and operands', async () => {
    for (const args of shownCommands(text)) {
      expect(await saidTo(args), `fathom ${args.join(' ')}`).toBe('');
    }
    for (const args of inlineCommands(text)) {
      expect(await saidTo([...args, '--help']), `fathom ${args.join(' ')}`).toBe('');
    }
  });

  it('shows only scripts of npm that exist', () => {
    const named = [...text.matchAll(/\bnpm (?:run (?:-s )?([\w:-]+)|(start|test))\b/g)];
    for (const [, script, short] of named) expect(SCRIPTS).toContain(script ?? short);
  });

  it('links only to pages and headings that exist', () => {
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)) {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      expect(existsSync(join(ROOT, file)), target).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(read(file)), target).toContain(anchor);
    }
  });

  it('shows only pictures that exist, each with a text in place of it', () => {
    for (const [image] of text.matchAll(/<img [^>]*>/g)) {
      expect(existsSync(join(ROOT, dirname(page), attributeOf(image, 'src'))), image).toBe(true);
      expect(attributeOf(image, 'alt'), image).not.toBe('');
    }
  });

  it('has no paragraph of more than five lines', () => {
    const long = paragraphs(text).filter((lines) => lines.length > 5);
    expect(long.map(([first]) => first)).toEqual([]);
  });
});

it('The README imports guests as the event that the rules for them take by default', () => {
  const event = readTemplate('event-guests').parameters.find(({ name }) => name === 'event');
  const imported = shownCommands(read('README.md')).filter(([command]) => command === 'import');
  expect(imported.map((args) => args[args.indexOf('--event') + 1])).toEqual([event?.byDefault]);
});

it('The test that CONTRIBUTING shows imports what exists', () => {
  const [, example = ''] = /```ts\n(.*?)```/s.exec(read('CONTRIBUTING.md')) ?? [];
  const imported = [...example.matchAll(/ from '(.+)';/g)].map(([, name = '']) => name);
  const { resolve } = createRequire(join(ROOT, 'test/commands/empty.test.ts'));
  expect(imported.length).toBeGreaterThan(2);
  for (const name of imported) expect(() => resolve(name), name).not.toThrow();
});

it('Each title by which CONTRIBUTING runs a test stands in the files that it names', () => {
  const runs = [...read('CONTRIBUTING.md').matchAll(/vitest run\b.*? (test\/\S+) -t '([^']+)'/g)];
  const files = globSync('test/**/*.test.ts', { cwd: ROOT });
  const isNamed = ([, of = '', title = '']: RegExpExecArray) =>
    files.some((file) => file.startsWith(of) && read(file).includes(title));
  const named = runs.filter(([, , title]) => title !== 'part of a title');
  expect(named.length).toBeGreaterThan(1);
  expect(named.filter((run) => !isNamed(run))).toEqual([]);
});

it('Every path that the page of places names exists', () => {
  const paths = [...read('docs/where.md').matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g)];
  const whole = paths.map(([, path = '']) => path).filter((path) => path !== 'es/');
  expect(whole.length).toBeGreaterThan(40);
  for (const path of whole) expect(existsSync(join(ROOT, path)), path).toBe(true);
});

it('Every file that a comment names exists', () => {
  const files = globSync(['{bench,client,commands,src,test}/**/*.{ts,js,md}', 'docs/**/*.md'], {
    cwd: ROOT,
    exclude: ['**/node_modules'],
  }).map((file) => `/${file}`);
  const missing = files
    .filter((file) => /^\/(bench|commands|src)\/.*\.ts$/.test(file))
    .flatMap((file) =>
      [...read(file).matchAll(/^\s*(?:\/\/|\/?\*).*$/gm)]
        .flatMap(([comment]) => [
          ...comment.matchAll(/(?<![\w./:-])([\w.-]+(?:\/[\w.-]+)+\.(?:ts|md))\b/g),
        ])
        .map(([, path]) => path)
        .filter((path) => !files.some((each) => each.endsWith(`/${path}`)))
        .map((path) => `${file}: ${path}`),
    );
  expect(missing).toEqual([]);
});

it("The guide and the client's types name every event of a webhook", () => {
  for (const path of ['docs/integrate.md', 'client/src/webhooks.ts']) {
    for (const event of WEBHOOK_EVENTS) expect(read(path), path).toContain(event);
  }
});

it('The page for operators explains every setting, or links to the page that does', () => {
  const text = read('docs/operate.md');
  const linked = [...text.matchAll(/\]\((\w+\.md)[#)]/g)].map(([, page = '']) => `docs/${page}`);
  const explained = [text, ...linked.map(read)].join('\n');
  const named = new Set([...explained.matchAll(/\b[A-Z][A-Z\d_]+\b/g)].map(([name]) => name));
  const settings = [...read('.env.example').matchAll(/^# ([A-Z][A-Z\d_]+)=/gm)];
  expect(settings.length).toBeGreaterThan(40);
  expect(settings.map(([, name = '']) => name).filter((name) => !named.has(name))).toEqual([]);
});

it('The page for operators has every command in its table', () => {
  const rows = read('docs/operate.md').match(/^\| `npm run fathom -- .*$/gm) ?? [];
  const missing = cliCommands.filter(({ name }) => {
    const words = name.split(' ').map((word) => new RegExp(`(?: |\`)${word}\\b`));
    return !rows.some((row) => words.every((word) => word.test(row)));
  });
  expect(missing.map(({ name }) => name)).toEqual(['serve']);
});

it('The guide names the limits that apply where nothing is set', () => {
  const { rateLimits } = loadConfig({});
  expect(read('docs/integrate.md')).toContain(
    `${rateLimits.public} requests a minute without a key and ${rateLimits.key} with one`,
  );
});

it('The page for operators and doctor name the same number of connections', () => {
  const text = read('docs/operate.md');
  const most = CONNECTIONS_PER_REPLICA;
  expect(text).toContain(`up to ${most} connections per replica, ${CONNECTIONS.scoring} of which`);
  expect(text).toContain(`Give it ${most} connections for each replica`);
});

it('The page for operators names every metric, and no other', () => {
  const declared = globSync('src/**/*.ts', { cwd: ROOT }).flatMap((file) => {
    const source = read(file);
    const prefix = /name: `(fathom_\w*)\$\{name\}`/.exec(source)?.[1] ?? '';
    const whole = [...source.matchAll(/name: '(fathom_\w+)'/g)].map(([, name = '']) => name);
    const made = [...source.matchAll(/\bgauge\(\s*'(\w+)'/g)].map(([, name = '']) => prefix + name);
    return [...whole, ...made];
  });
  const shown = [...read('docs/operate.md').matchAll(/`(fathom_\w+)(?:\{[\w,]+\})?`/g)];
  const named = new Set(shown.map(([, name]) => name).filter((name) => name !== 'fathom_before'));
  expect(named).toEqual(new Set(declared));
});

it('Every page in docs is one of those, or a record of a decision', () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  expect(PAGES).toEqual(expect.arrayContaining(pages.map((name) => `docs/${name}`)));
});

it('Every picture in docs is drawn by test/pictures.ts and shown on a page', () => {
  const script = read('test/pictures.ts');
  const shown = PAGES.flatMap((page) =>
    [...read(page).matchAll(/<img [^>]*>/g)].map(([image]) =>
      join(dirname(page), attributeOf(image, 'src')),
    ),
  );
  const pictures = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
  for (const picture of pictures.filter((name) => name.endsWith('.png'))) {
    expect(shown).toContain(`docs/${picture}`);
    expect(script).toContain(`'${picture.replace('.png', '')}'`);
  }
});

it('A command is split as a shell does it', () => {
  expect(splitShell(`a "b c" --d 'e "f"' g="h i" < j`)).toEqual([
    'a',
    'b c',
    '--d',
    'e "f"',
    'g=h i',
  ]);
});

/** Empty if it hasn't that attribute. */
function attributeOf(image: string, name: string): string {
  return new RegExp(` ${name}="([^"]*)"`).exec(image)?.[1] ?? '';
}

/** Text without code, tables and headings, by paragraphs and entries of lists. */
function paragraphs(text: string): string[][] {
  const found: string[][] = [[]];
  for (const line of text.replaceAll(/^```[\s\S]*?^```/gm, '').split('\n')) {
    if (/^\s*([-*]|\d+\.) /.test(line)) found.push([line]);
    else if (/^(\||#|<|\s*$)/.test(line)) found.push([]);
    else found.at(-1)?.push(line);
  }
  return found;
}

/** As GitHub makes them from headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
