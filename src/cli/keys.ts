import { randomBytes } from 'node:crypto';
import { type ApiKey, createApiKey, formatTime, LIVE_KEYS_PER_OWNER, UserError } from '#base';
import { hashApiKey } from '#base/process';
import type { Store } from '#storage';
import { type CliCommand, type CliContext, textOption } from './command.ts';
import { formatTable } from './format.ts';
import { waitingFor } from './progress.ts';
import { openConfiguredStore } from './store.ts';

/** Owner of keys that an operator creates for machines; not limited in number. */
const OPERATOR = 'cli';
const TEXT_MAX = 100;

export const keysCreateCommand: CliCommand = {
  name: 'keys create',
  synopsis: '--label LABEL [--owner OWNER]',
  summary: 'create an API key and print it once',
  help: `Prints only the key on standard output. It's shown only once: Fathom stores its hash.

  --label LABEL  what the key is for
  --owner OWNER  who owns it, for example discord:1234 (default: ${OPERATOR})

An owner other than ${OPERATOR} can have at most ${LIVE_KEYS_PER_OWNER} live keys.`,
  options: { label: { type: 'string' }, owner: { type: 'string' } },
  operands: { min: 0, max: 0 },
  run({ values }, context) {
    const label = shortText(values.label, 'label');
    if (label === undefined)
      throw new UserError('wrong-usage', 'Add --label LABEL to say what the key is for.');
    const owner = shortText(values.owner, 'owner') ?? OPERATOR;
    return withStore(context, async (store) => {
      const key = createApiKey(randomBytes);
      const liveLimit = owner === OPERATOR ? Number.POSITIVE_INFINITY : LIVE_KEYS_PER_OWNER;
      const kept = await store.keys.add({ label, owner, hash: hashApiKey(key) }, liveLimit);
      context.stdout.write(`${key}\n`);
      context.stderr.write(
        `Key ${kept.id} for "${label}". Store it safely: it won't be shown again.\n`,
      );
    });
  },
};

export const keysListCommand: CliCommand = {
  name: 'keys list',
  synopsis: '[--owner OWNER]',
  summary: 'list the API keys',
  help: `Lists all keys, oldest first. The keys themselves aren't stored, so they can't be shown.

  --owner OWNER  only keys of this owner`,
  options: { owner: { type: 'string' } },
  operands: { min: 0, max: 0 },
  run({ values }, context) {
    const owner = textOption(values.owner, 'owner');
    return withStore(context, async (store) => {
      const keys = await store.keys.list(owner);
      const heading = ['ID', 'LABEL', 'OWNER', 'CREATED', 'STATE'];
      context.stdout.write(formatTable([heading, ...keys.map(cellsOf)], 'lllll'));
    });
  },
};

export const keysRevokeCommand: CliCommand = {
  name: 'keys revoke',
  synopsis: 'ID',
  summary: 'revoke an API key',
  help: 'Requests with the key are rejected from then on. "keys list" shows the ids.',
  options: {},
  operands: { min: 1, max: 1 },
  run({ operands: [id = ''] }, context) {
    return withStore(context, async (store) => {
      await store.keys.revoke(id);
      context.stderr.write(`Revoked key ${id}.\n`);
    });
  },
};

async function withStore(
  context: CliContext,
  work: (store: Store) => Promise<void>,
): Promise<number> {
  const store = await openConfiguredStore(context, 'A key');
  try {
    await waitingFor('the database', () => work(store));
    return 0;
  } finally {
    await store.close();
  }
}

function cellsOf(key: ApiKey): string[] {
  const state = key.revokedAt === undefined ? 'live' : `revoked ${formatTime(key.revokedAt)}`;
  return [key.id, key.label, key.owner, formatTime(key.createdAt), state];
}

/** Labels and owners appear in tables and chats, so they must be one short line. */
function shortText(value: string | boolean | undefined, name: string): string | undefined {
  const text = textOption(value, name);
  if (text !== undefined && (text.length > TEXT_MAX || /\p{Cc}/u.test(text))) {
    throw new UserError(
      'wrong-usage',
      `--${name} takes at most ${TEXT_MAX} characters on one line.`,
    );
  }
  return text;
}
