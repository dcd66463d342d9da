import { describe, expect, it } from 'vitest';
import { answererWith } from '../../support/ask.ts';
import { linkingWith } from '../../support/linking.ts';
import { PASTED } from '../../support/pasted-signatures.ts';
import { useTelegram } from '../../support/telegram/use.ts';
import { ethereumWallet, solanaWallet } from '../../support/wallet-keys.ts';

const { telegram, start } = useTelegram();

describe.each([ethereumWallet('a'), solanaWallet('a')])('on $wallet.chain', (keyed) => {
  it.each(PASTED)(
    'a wallet is linked by what its owner sends, as it is or after /link: %s',
    async (_, pasted) => {
      const linking = linkingWith();
      start({ answerer: answererWith({ linksOf: (caller) => linking.of(caller) }) });
      const person = telegram().world.person();
      const { address } = keyed.wallet;
      let count = 0;
      for (const [command, outcome] of [
        ['', /Wallet linked/],
        ['/link ', /already linked/],
      ] as const) {
        telegram().says(person, `/link ${address}`);
        count += 1;
        const { text = '' } = await telegram().nth('sendMessage', count);
        const shown = /\S+ wants you to sign.*?Request ID: \S+/s.exec(text as string)?.[0] ?? '';
        const signature = await keyed.sign(shown);
        telegram().says(person, `${command}${pasted({ text: shown, address, signature })}`);
        count += 1;
        expect((await telegram().nth('sendMessage', count)).text).toMatch(outcome);
      }
    },
  );
});
