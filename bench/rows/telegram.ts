import { fileURLToPath } from 'node:url';
import type { Bench } from '../context.ts';
import { dataSet, readSample } from '../datasets.ts';
import { type Child, CORES, lastWords, pause, start, stop } from '../process.ts';
import { say } from '../progress.ts';
import { count } from '../report.ts';
import { TelegramStandIn } from '../servers/telegram/stand-in.ts';

/** Telegram's side: how many updates per second the real adapter answers. */

const PER_SECOND = 500;

export const telegram: Bench = {
  name: 'telegram',
  about: 'updates that the Telegram adapter answers',
  async run({ dir, main, quick }) {
    const set = await dataSet(dir, main);
    const addresses = readSample(set);
    const updates = quick ? 500 : 20_000;
    const standIn = await TelegramStandIn.open();
    standIn.measuring = true;
    const script = fileURLToPath(new URL('../telegram-bot.ts', import.meta.url));
    const child = start({
      program: process.execPath,
      args: [script, set.file, standIn.apiUrl, standIn.token, String(updates)],
      cores: CORES.server,
      cwd: dir,
    });
    try {
      await until(child, 'up');
      say(`${count(updates)} updates`);
      const began = performance.now();
      for (let i = 0; i < updates; i += 1) {
        // A separate chat each, as in many communities at once.
        standIn.says(standIn.world.person(), `/rep ${addresses[i % addresses.length]}`);
        // More arrives at once than people would send; the queue is kept short.
        if (i % 200 === 199) await pause(0);
      }
      await until(child, 'done');
      const rate = updates / ((performance.now() - began) / 1000);
      return [
        {
          what: 'Telegram: updates answered a second',
          fathom: `${Math.round(rate)}/s`,
          peer: '',
          limit: `≥ ${PER_SECOND}/s`,
          ratio: '',
          target: '',
          met: rate >= PER_SECOND,
          note: `the real adapter and client library, polling a stand-in for the Bot API that shares the other core with the load generator; ${count(updates)} commands from as many chats, with flood limits off on both sides.`,
        },
      ];
    } finally {
      await stop(child);
      await standIn.close();
    }
  },
};

async function until(child: Child, word: string): Promise<void> {
  const end = performance.now() + 180_000;
  while (!child.output.out.includes(word)) {
    if (performance.now() > end || child.process.exitCode !== null) {
      throw new Error(`the bot did not say "${word}": ${lastWords(child)}`);
    }
    await pause(5);
  }
}
