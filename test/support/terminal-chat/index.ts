import { UserError } from '#base/errors';
import { ok } from '#base/finding';
import { botToken } from '#base/process/settings';
import type { Card } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { sortWords } from '#command/typed/sort-words';
import type { HttpDelivery, Platform, PlatformHost, RunningPlatform } from '#platforms/platform';
import { cardText } from '../card-text.ts';
import { TestAdapter } from '../gating.ts';

/** A typed line, as delivered. */
interface Line {
  readonly who: string;
  readonly text: string;
  /** The community in which one of its moderators typed it. */
  readonly community?: string;
}

/** A third chat platform, as small as one can be: lines come in over HTTP, answers are text. */
export const terminal: Platform = {
  id: 'terminal',
  label: 'Terminal',
  grants: 'entry',
  reportsTo: 'member',
  pictures: 'reply',
  codeEntry: 'message',
  avatarOrigin: undefined,
  token: undefined,
  delivery: { path: '/terminal/lines', body: 'json' },
  loadPreview: async () => ({
    render: (card) => ({ text: cardText(card) }),
    codeOf: (data) => data,
  }),
  configure({ read }) {
    const token = read('TERMINAL_TOKEN', botToken);
    return {
      settings: { token },
      agreed: { TERMINAL_TOKEN: token },
      servers: [],
      secrets: [token],
      start: token === undefined ? undefined : async (host) => startTerminal(token, host),
      check: async () => (token === undefined ? [] : [ok('terminal token', 'is set')]),
      roleConnections: undefined,
    };
  },
};

function startTerminal(token: string, host: PlatformHost): RunningPlatform {
  return {
    status: () => ({ ok: true, detail: 'open' }),
    invitation: () => undefined,
    communityAdapter: new TestAdapter(),
    async deliver({ body, headers }: HttpDelivery) {
      if (headers.authorization !== `Bearer ${token}`) return { status: 401 };
      return { status: 200, body: { text: await answer(host, body as Line) } };
    },
    stop: async () => host.log.info({}, 'the terminal is closed'),
  };
}

async function answer(
  { answerer, onCommand }: PlatformHost,
  { who, text, community }: Line,
): Promise<string> {
  const [name = ''] = text.slice(1).split(' ', 1);
  const command = answerer.commandNamed(name);
  const card = await run();
  onCommand(command?.name ?? 'unknown', 'answered', 0);
  return cardText(card);
  async function run(): Promise<Card> {
    try {
      const typed = text.slice(1 + name.length);
      const args = command === undefined ? {} : sortWords(command, textsFor('en'), typed);
      return await answerer.answer({
        call: { command: name, args },
        caller: { platform: 'terminal', id: who, community },
        locale: 'en',
        isModerator: () => community !== undefined,
      });
    } catch (error) {
      if (error instanceof UserError) return answerer.refusal(error, 'en');
      throw error;
    }
  }
}
