import type { Caller } from '#command/account';
import { noteCard } from '#command/cards/card';
import { defineCommand } from '#commands/answering/command';

/** Who ran a command, and about whom or what. */
interface Heard {
  readonly caller: Caller;
  readonly about: string | undefined;
}

/**
 * `/who`, and `/secretly`, which answers privately: commands that record about whom they are asked, once a message.
 * An answer that waits to be sent to a group for half a second, as on a busy machine, is asked for again.
 */
export function whoCommands() {
  const heard: Heard[] = [];
  const who = defineCommand({
    name: 'who',
    letter: 'w',
    about: () => 'About whom',
    options: [
      { kind: 'wallet', name: 'wallet', required: false, about: () => 'A wallet' },
      { kind: 'member', name: 'member', required: false, about: () => 'A member' },
    ],
    private: false,
    run: ({ caller }, { wallet, member }) => {
      const isAgain = heard.some((each) => each.caller === caller);
      if (!isAgain) heard.push({ caller, about: wallet?.address ?? member });
      return { ...noteCard('plain', 'Who', `about ${member}`), private: false };
    },
  });
  const secretly = defineCommand({ ...who, name: 'secretly', letter: 's', private: true });
  return { heard, commands: [who, secretly] };
}
