import { type Card, noteCard } from '#command/cards/card';
import { type Command, defineCommand } from '#commands/answering/command';
import type { GateEvents } from '#gating/events';
import type { Community } from '#gating/rules/rule';

/** Records events, and answers those who ask to join as the test says. */
export class KeptGate implements GateEvents {
  readonly told: string[] = [];
  readonly requests: {
    readonly community: Community;
    readonly account: string;
    readonly locale: string | undefined;
  }[] = [];
  answer: () => Promise<Card | undefined>;

  constructor(answer?: Card | (() => Promise<Card | undefined>)) {
    this.answer = typeof answer === 'function' ? answer : () => Promise.resolve(answer);
  }

  joined({ id }: Community, account: string): void {
    this.told.push(`${account} joined ${id}`);
  }

  left({ id }: Community, account: string): void {
    this.told.push(`${account} left ${id}`);
  }

  removed({ id }: Community, account: string, _: string, by: string): void {
    this.told.push(`${by} removed ${account} from ${id}`);
  }

  given({ id }: Community, account: string, _: string, by: string): void {
    this.told.push(`${by} let ${account} into ${id}`);
  }

  changed(): void {
    // Telegram has no screening, and no roles.
  }

  handChanged(): void {
    // Its updates say so themselves.
  }

  missed(): void {
    // Updates wait until they are fetched.
  }

  moved(from: Community, to: Community): void {
    this.told.push(`${from.id} is ${to.id}`);
  }

  grantChanged(): void {
    // Groups have no roles.
  }

  renamed({ id }: Community, grant: string, name: string): void {
    this.told.push(`${grant} of ${id} is called ${name}`);
  }

  standingChanged({ id }: Community): void {
    this.told.push(`standing in ${id}`);
  }

  requested(
    community: Community,
    account: string,
    locale: string | undefined,
  ): Promise<Card | undefined> {
    this.requests.push({ community, account, locale });
    return this.answer();
  }
}

/** Forty characters: too much for a button that also holds a group. */
const LONG_RULE = 'r'.repeat(40);

/** A command for moderators only: a small `gate`. */
export const guard: Command = defineCommand({
  name: 'guard',
  letter: 'j',
  about: () => 'For moderators',
  forModerators: true,
  private: true,
  options: [
    {
      kind: 'choice',
      name: 'action',
      required: true,
      about: () => 'What to do',
      choices: ['list', 'confirm'],
      label: (choice) => choice,
    },
    { kind: 'text', name: 'rule', required: false, about: () => 'Which', longest: 40 },
  ],
  async run({ moderate, caller }, { action, rule }) {
    const { community } = await moderate();
    const button = (label: string, args: Record<string, string>) => ({
      label,
      call: { command: 'guard', args },
    });
    return {
      ...noteCard('plain', `Guard: ${action}`, ''),
      blocks: [
        {
          kind: 'text',
          spans: [{ member: caller.id }, ' in ', { channel: community.id }, `: ${rule ?? 'all'}`],
        },
      ],
      actions: [
        [
          button('List', { action: 'list' }),
          button('Confirm', { action: 'confirm', rule: 'abcd1234' }),
          button('Long', { action: 'confirm', rule: LONG_RULE }),
          { label: 'Help', call: { command: 'help', args: {} } },
        ],
      ],
    };
  },
});

/** The same, visible to the whole group. */
export const watch: Command = {
  ...guard,
  name: 'watch',
  letter: 'v',
  private: false,
  run: async (...given) => ({ ...(await guard.run(...given)), private: false }),
};
