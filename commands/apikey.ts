import { type ApiKey, UserError } from '#base';
import { type Action, type Block, type Card, type CardEntry, shownWord } from '#command';
import type { Texts } from '#command/texts';
import { type CallerKeys, type CommandContext, defineCommand } from './answering/command.ts';
import { privateCard } from './shared/card-parts.ts';

const ACTIONS = ['create', 'list', 'revoke'] as const;
/** Same limit as on the command line. */
const LABEL_MAX = 100;
/** Rows of buttons, plus a back button: what the narrower platform has room for. */
const KEYS_WITH_BUTTON = 4;
const REVOKED_SHOWN = 5;

/** The caller's own API keys. All answers are private. */
export const apikey = defineCommand({
  name: 'apikey',
  letter: 'k',
  about: (texts) => texts.commands.apikey.about,
  options: [
    {
      kind: 'choice',
      name: 'action',
      required: false,
      about: (texts) => texts.commands.apikey.options.action,
      choices: ACTIONS,
      label: (choice, texts) => texts.apikey.actions[choice as (typeof ACTIONS)[number]],
    },
    {
      kind: 'text',
      name: 'key',
      required: false,
      about: (texts) => texts.commands.apikey.options.key,
      longest: LABEL_MAX,
    },
  ],
  private: true,
  checkedBy({ action, key }) {
    const changes = action === 'create' || (action === 'revoke' && key !== undefined);
    return changes ? '/apikey list' : undefined;
  },
  async run(context, { action = 'list', key }) {
    switch (action) {
      case 'create':
        return await created(context, key);
      case 'list':
        return listed(context.texts, await context.keys.list());
      case 'revoke':
        return key === undefined
          ? whichToRevoke(context.texts, await context.keys.list())
          : await revoked(context, key);
    }
  },
});

async function created({ keys, texts }: CommandContext, label: string | undefined): Promise<Card> {
  const { key, record } = await keys.issue(label ?? texts.apikey.unnamed);
  return privateCard(
    texts.apikey.created,
    [
      { kind: 'text', spans: [{ bold: texts.apikey.once }] },
      { kind: 'text', spans: [{ code: key }] },
      { kind: 'text', spans: [texts.apikey.header] },
      { kind: 'text', spans: [{ code: `Authorization: Bearer <${texts.apikey.place}>` }] },
      {
        kind: 'facts',
        facts: [
          { label: texts.apikey.label, value: [record.label] },
          { label: texts.apikey.id, value: [{ code: record.id }] },
        ],
      },
    ],
    [[listButton(texts)]],
  );
}

function listed(texts: Texts, keys: readonly ApiKey[]): Card {
  const live = liveOf(keys);
  const dead = keys.filter((key) => key.revokedAt !== undefined).toReversed();
  const entries = [...live, ...dead.slice(0, REVOKED_SHOWN)].map((key) => entryOf(key, texts));
  const hidden = dead.length - REVOKED_SHOWN;
  if (hidden > 0) entries.push({ title: [texts.apikey.more(texts.number(hidden))], detail: [] });
  return privateCard(
    texts.apikey.title,
    [
      entries.length > 0
        ? { kind: 'entries', entries }
        : { kind: 'text', spans: [texts.apikey.none] },
      { kind: 'text', spans: [texts.apikey.what] },
    ],
    [
      [
        createButton(texts),
        ...(live.length > 0 ? [button(texts.apikey.revokeButton, { action: 'revoke' })] : []),
      ],
    ],
  );
}

/** Revoking takes two steps: first we list the keys. */
function whichToRevoke(texts: Texts, keys: readonly ApiKey[]): Card {
  const live = liveOf(keys);
  if (live.length === 0) {
    const none: Block = { kind: 'text', spans: [texts.apikey.revokeNone] };
    return privateCard(texts.apikey.title, [none], [[createButton(texts)]]);
  }
  const blocks: Block[] = [
    { kind: 'entries', entries: live.map((key) => entryOf(key, texts)) },
    { kind: 'text', spans: [texts.apikey.revokeAbout] },
  ];
  if (live.length > KEYS_WITH_BUTTON) {
    const example = { code: '/apikey revoke …' };
    blocks.push({ kind: 'text', spans: [`${texts.apikey.revokeById} `, example] });
  }
  return privateCard(texts.apikey.revokeTitle, blocks, [
    ...live
      .slice(0, KEYS_WITH_BUTTON)
      .map((key) => [button(texts.apikey.revokeOne(key.label), { action: 'revoke', key: key.id })]),
    [listButton(texts)],
  ]);
}

async function revoked({ keys, texts }: CommandContext, id: string): Promise<Card> {
  await revoke(keys, id);
  return privateCard(
    texts.apikey.revokedTitle,
    [
      { kind: 'text', spans: [{ code: id }] },
      { kind: 'text', spans: [texts.apikey.revokedAbout] },
    ],
    [[listButton(texts)]],
  );
}

async function revoke(keys: CallerKeys, id: string): Promise<void> {
  try {
    await keys.revoke(id);
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== 'key-not-found') throw error;
    throw unknownKey(id, error);
  }
}

function unknownKey(id: string, cause: UserError): UserError {
  return new UserError(cause.code, cause.message, [], { values: [shownWord(id)], cause });
}

function entryOf(key: ApiKey, texts: Texts): CardEntry {
  const state = key.revokedAt === undefined ? texts.apikey.live : texts.apikey.revoked;
  return {
    title: [{ bold: key.label }],
    detail: [{ code: key.id }, ` · ${state} · `, { time: key.createdAt, style: 'date' }],
  };
}

function liveOf(keys: readonly ApiKey[]): ApiKey[] {
  return keys.filter((key) => key.revokedAt === undefined);
}

function createButton(texts: Texts): Action {
  return button(texts.apikey.createButton, { action: 'create' });
}

function listButton(texts: Texts): Action {
  return button(texts.apikey.listButton, { action: 'list' });
}

function button(label: string, args: Readonly<Record<string, string>>): Action {
  return { label, call: { command: 'apikey', args } };
}
