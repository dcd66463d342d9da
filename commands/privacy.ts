import { formatTime, UserError } from '#base';
import type { Action, Block, Card } from '#command';
import { PRIVACIES } from '#linking';
import { type CommandContext, defineCommand } from './answering/command.ts';
import { privateCard, walletsButton } from './shared/card-parts.ts';
import { NO, OFF_WORDS, ON_WORDS } from './shared/switch-words.ts';

const CHOICES = [...PRIVACIES, 'export', 'erase'] as const;
type Choice = (typeof CHOICES)[number];

/** What people type for them, as the docs and cards say it. */
const ALSO: Partial<Record<Choice, readonly string[]>> = {
  hidden: [
    'only you',
    'only me',
    'me',
    'nobody',
    'no one',
    'none',
    'private',
    'hide',
    'hide me',
    'solo tú',
    'solo yo',
    'nadie',
    'privado',
    'oculta',
    'ocultar',
    'ocultarme',
  ],
  community: ['this community', 'here', 'esta comunidad', 'aquí'],
  public: ['everyone', 'everybody', 'anyone', 'all', 'todos', 'todo el mundo', 'cualquiera'],
  erase: ['delete', 'borrar', 'eliminar'],
};

/** Who can see the caller's wallets; exports or erases the caller's data. */
export const privacy = defineCommand({
  name: 'privacy',
  letter: 'p',
  about: (texts) => texts.commands.privacy.about,
  options: [
    {
      kind: 'choice',
      name: 'choice',
      required: false,
      about: (texts) => texts.commands.privacy.options.choice,
      choices: CHOICES,
      label: (choice, texts) => texts.privacy.actions[choice as Choice],
      also: ALSO,
    },
    {
      kind: 'choice',
      name: 'sure',
      required: false,
      about: (texts) => texts.commands.privacy.options.sure,
      choices: ['yes'],
      label: (_, texts) => texts.privacy.sure,
    },
    {
      kind: 'choice',
      name: 'announce',
      required: false,
      about: (texts) => texts.commands.privacy.options.announce,
      choices: ['on', 'off'],
      label: (choice, texts) => texts.gate.onOff[choice as 'on' | 'off'],
      // A yes may be meant for `sure`.
      also: { on: ON_WORDS, off: [...OFF_WORDS, ...NO] },
    },
  ],
  private: true,
  checkedBy({ choice, sure, announce }) {
    const reads = (choice === undefined && announce === undefined) || choice === 'export';
    return reads || (choice === 'erase' && sure === undefined) ? undefined : '/privacy';
  },
  async run(context, { choice, sure, announce }) {
    if (announce !== undefined) await context.links.chooseAnnounced(announce === 'on');
    switch (choice) {
      case undefined:
        return await asItIs(context);
      case 'hidden':
      case 'public':
        await context.links.choose(choice);
        return await asItIs(context);
      case 'community':
        if (context.caller.community === undefined) {
          throw new UserError('wrong-usage', context.texts.privacy.whichCommunity);
        }
        await context.links.choose(choice);
        return await asItIs(context);
      case 'export':
        return await exported(context);
      case 'erase':
        return sure === undefined ? reallyErase(context) : await erased(context);
    }
  },
});

async function asItIs({ links, texts, caller }: CommandContext): Promise<Card> {
  const { privacy: now, communities, isUnannounced } = await links.choice();
  const blocks: Block[] = [{ kind: 'text', spans: [{ bold: texts.privacy.now[now] }] }];
  if (now === 'community') {
    const count = communities.length;
    blocks.push({ kind: 'text', spans: [texts.privacy.communities(count, texts.number(count))] });
  }
  const { announce } = texts;
  const isOff = isUnannounced === true;
  // Who shows nothing isn't announced anyway.
  const mayTurn = now !== 'hidden' || isOff;
  if (mayTurn) {
    blocks.push({ kind: 'text', spans: [isOff ? announce.declined : announce.on] });
  }
  blocks.push({ kind: 'text', spans: [texts.privacy.never] });
  const here = caller.community;
  const others = PRIVACIES.filter((each) => {
    if (each !== 'community') return each !== now;
    return here !== undefined && !(now === 'community' && communities.includes(here));
  });
  const button = (choice: Choice): Action => ({
    label: texts.privacy.buttons[choice],
    call: { command: 'privacy', args: { choice } },
  });
  const turn: Action = {
    label: isOff ? announce.turnOn : announce.turnOff,
    call: { command: 'privacy', args: { announce: isOff ? 'on' : 'off' } },
  };
  return privateCard(texts.privacy.title, blocks, [
    others.map(button),
    ...(mayTurn ? [[turn]] : []),
    [button('export'), button('erase')],
    [walletsButton(texts)],
  ]);
}

async function exported({ links, keys, caller, texts, now }: CommandContext): Promise<Card> {
  const record = await links.record();
  const apiKeys = (await keys.list()).map(({ id, label, createdAt, revokedAt }) => ({
    id,
    label,
    createdAt,
    revokedAt,
  }));
  const { platform, id } = caller;
  const everything = { account: { platform, id }, exportedAt: now, ...record, apiKeys };
  const text = `${JSON.stringify(everything, readable, 2)}\n`;
  return {
    ...privateCard(
      texts.privacy.exportTitle,
      [{ kind: 'text', spans: [texts.privacy.exportAbout] }],
      [[walletsButton(texts)]],
    ),
    file: { name: `fathom-${platform}-${id}.json`, text },
  };
}

/** Times in a format for people and programs. */
function readable(name: string, value: unknown): unknown {
  const isTime = typeof value === 'number' && /^(?:at|until|\w+At)$/.test(name);
  return isTime ? formatTime(value) : value;
}

function reallyErase({ texts }: CommandContext): Card {
  const call = { command: 'privacy', args: { choice: 'erase', sure: 'yes' } };
  return {
    ...privateCard(
      texts.privacy.eraseTitle,
      [{ kind: 'text', spans: [texts.privacy.eraseAbout] }],
      [[{ label: texts.privacy.eraseButton, call }], [walletsButton(texts)]],
    ),
    tone: 'warning',
  };
}

async function erased({ links, texts }: CommandContext): Promise<Card> {
  await links.erase();
  const text: Block = { kind: 'text', spans: [texts.privacy.erasedAbout] };
  return privateCard(texts.privacy.erasedTitle, [text], []);
}
