import { beforeEach, expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import type { Card } from '#command/cards/card';
import { type Texts, textsFor } from '#command/texts/index';
import type { CommandContext } from '#commands/answering/command';
import { stats } from '#commands/stats';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { FixedSource, fixedWallets } from '../support/fixed-source.ts';
import { GatedCommunity, MODERATOR } from '../support/gated-community.ts';

/* The language of a community: what everybody reads is in it, private answers follow their reader. */

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity();
});

async function say(
  command: string,
  args: Record<string, string>,
  locale: string,
  community: string | undefined = guild.community.id,
): Promise<Card> {
  const { gating } = guild.gated;
  const source = new FixedSource(fixedWallets());
  const answerer = answererWith({ gating, source });
  const caller = { platform: 'discord', id: '1', community } as const;
  return await answerer.answer({
    call: { command, args },
    caller,
    locale,
    isModerator: () => true,
  });
}

const IN_SPANISH = textsFor('en').gate.languageSet('Spanish');

const gate = (args: Record<string, string>, locale = 'en') => say('gate', args, locale);

it('The language of a community is that of each reader until a moderator chooses one', async () => {
  expect(cardText(await say('stats', {}, 'en'))).toContain('Wallets');
  expect(cardText(await say('stats', {}, 'es'))).toContain('Carteras');
});

it('The language of a community is that of public answers once chosen, whoever asks', async () => {
  expect(cardText(await gate({ action: 'language', language: 'es' }))).toContain(IN_SPANISH);
  const card = await say('stats', {}, 'en');
  expect(cardText(card)).toContain('Carteras');
  expect(card.language).toBe('es');
  await gate({ action: 'language', language: 'auto' });
  expect(cardText(await say('stats', {}, 'en'))).toContain('Wallets');
});

it("A community's language isn't that of private answers, nor of refusals that the reader alone sees", async () => {
  await gate({ action: 'language', language: 'es' });
  expect(cardText(await gate({ action: 'list' }, 'en'))).toContain(textsFor('en').gate.none);
  const refused = await say('rep', { wallet: '0x12' }, 'en');
  expect(refused.private).toBe(true);
  expect(refused.language).toBeUndefined();
  // The caller has linked no wallet, which is nobody else's business.
  const own = await say('rep', {}, 'en');
  expect(own.private).toBe(true);
  expect(cardText(own)).not.toMatch(/cartera/i);
});

it("A community's language isn't that of private chats", async () => {
  await gate({ action: 'language', language: 'es' });
  const source = new FixedSource(fixedWallets());
  const answerer = answererWith({ gating: guild.gated.gating, source });
  const caller = { platform: 'discord', id: '1' } as const;
  const call = { command: 'stats', args: {} };
  expect(cardText(await answerer.answer({ call, caller, locale: 'en' }))).toContain('Wallets');
});

it('The language of a community is that of reports and of what the platform logs, before its own', async () => {
  guild.adapter.language = 'en-US';
  await guild.gated.gating.choices.setLanguage(guild.community, 'es', MODERATOR);
  await guild.gated.gating.setLogChannel(guild.community, '77', await gate({ action: 'list' }), '');
  await guild.rule();
  await guild.member(1, 6_000);
  await guild.pass();
  const report = guild.adapter.reports.at(-1);
  expect(report?.title).toBe(textsFor('es').gate.runTitle);
});

it('The language of a community is known to other processes, and public answers go on while the store is away', async () => {
  await gate({ action: 'language', language: 'es' });
  await guild.restart();
  expect(cardText(await say('stats', {}, 'en'))).toContain('Carteras');
  guild.store.gating.settingsOf = () => {
    throw new RetryableError('the database is away');
  };
  guild.now += 60;
  expect(cardText(await say('stats', {}, 'en'))).toContain('Carteras');
  await guild.restart();
  expect(cardText(await say('stats', {}, 'en'))).toContain('Wallets');
});

it('The language of a community is shown in the list, and in the log with who chose it', async () => {
  await gate({ action: 'language', language: 'es' });
  await guild.rule();
  expect(cardText(await gate({ action: 'list' }))).toContain(IN_SPANISH);
  expect(cardText(await gate({ action: 'log' }, 'es'))).toContain(
    textsFor('es').gate.events.language,
  );
});

it("A community's language isn't made up for a moderator who asks while the store is away", async () => {
  guild.store.gating.settingsOf = () => {
    throw new RetryableError('away');
  };
  const said = cardText(await gate({ action: 'language' }));
  expect(said).not.toContain(textsFor('en').gate.languageAuto);
  expect(said).toContain(textsFor('en').errors.unavailable(5));
});

it('An outage of a public answer is told in the language of the community, a refusal of it in that of the reader', async () => {
  await gate({ action: 'language', language: 'es' });
  const failing = (error: (texts: Texts) => Error) =>
    answererWith({
      gating: guild.gated.gating,
      commands: [
        {
          ...stats,
          run: async ({ texts }: CommandContext) => {
            throw error(texts);
          },
        },
      ],
    }).answer({
      call: { command: 'stats', args: {} },
      caller: { platform: 'discord', id: '1', community: guild.community.id },
      locale: 'en',
    });
  const outage = await failing(() => new RetryableError('away'));
  expect(outage).toMatchObject({ title: textsFor('es').errors.title, private: false });
  expect(outage.language).toBe('es');
  const refusal = await failing(
    ({ errors }) => new UserError('invalid-parameter', errors.oldButton),
  );
  const { errors } = textsFor('en');
  expect(refusal).toMatchObject({ title: errors.title, private: true });
  expect(cardText(refusal)).toContain(errors.oldButton);
});
