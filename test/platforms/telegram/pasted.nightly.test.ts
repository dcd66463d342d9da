import { describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { answererWith } from '../../support/ask.ts';
import { linkingWith } from '../../support/linking.ts';
import { PASTED } from '../../support/pasted-signatures.ts';
import { useTelegram } from '../../support/telegram/use.ts';
import { ethereumWallet, solanaWallet } from '../../support/wallet-keys.ts';

const { link } = textsFor('en');

const { telegram, start } = useTelegram();

describe.each([
  ['ethereum', ethereumWallet],
  ['solana', solanaWallet],
])('on %s', (_, walletOf) => {
  // People at once, since a chat gets one message a second.
  it('a wallet is linked by whatever its owner pastes, bare or after /link', async () => {
    const linking = linkingWith();
    start({ answerer: answererWith({ linksOf: (caller) => linking.of(caller) }) });

    const answers = await Promise.all(
      PASTED.map(async ([form, pasted]) => {
        const keyed = walletOf(form);
        const { address } = keyed.wallet;
        const person = telegram().world.person();
        const answer = async (text: string, count: number) => {
          telegram().says(person, text);
          const toPerson = () =>
            telegram()
              .made('sendMessage')
              .filter((sent) => sent.chat_id === person.user.id);
          await telegram().until(() => toPerson().length >= count, `answer ${count} to ${form}`);
          return toPerson()[count - 1]?.text as string;
        };
        const outcomes: string[] = [];
        for (const [i, command] of ['', '/link '].entries()) {
          const asked = await answer(`/link ${address}`, 2 * i + 1);
          const text = /\S+ wants you to sign.*?Request ID: \S+/s.exec(asked)?.[0] ?? '';
          const signature = await keyed.sign(text);
          const told = await answer(`${command}${pasted({ text, address, signature })}`, 2 * i + 2);
          outcomes.push(
            [link.renewed, link.linkedTitle].find((each) => told.includes(each)) ?? told,
          );
        }
        return [form, outcomes];
      }),
    );

    expect(answers).toEqual(PASTED.map(([form]) => [form, [link.linkedTitle, link.renewed]]));
  });
});
