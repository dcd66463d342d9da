import { chatUp } from '../chat-up.ts';
import { Client } from '../client.ts';
import type { Bench } from '../context.ts';
import { dataSet, readSample } from '../datasets.ts';
import { percentile, steady } from '../latency.ts';
import { CORES, memoryOf, pause } from '../process.ts';
import { say, tell } from '../progress.ts';
import { count, micros, type Row } from '../report.ts';
import { serveFathom } from '../server.ts';
import { DiscordStandIn } from '../servers/discord/stand-in.ts';

/** Discord's side: the service with the real client, against a stand-in for Discord. */

const PER_SECOND = 100;
const READS_PER_SECOND = 200;
/** Concurrent commands while memory is measured. */
const AT_ONCE = 16;

/** Commands until the heap has grown to the size that this load requires. */
const WARM_UP = 45_000;

/** Milliseconds from an interaction to its responses. */
interface Times {
  readonly acknowledged: number[];
  readonly answered: number[];
}

export const discord: Bench = {
  name: 'discord',
  about: 'answers to Discord interactions, and what they leave of /v1',
  async run({ dir, main, quick }) {
    // Checking against Discord's specification takes longer than the responses that are timed.
    process.env.FATHOM_SPECS = '/nowhere';
    const set = await dataSet(dir, main);
    const addresses = readSample(set);
    const any = () => addresses[Math.floor(Math.random() * addresses.length)]!;
    const standIn = new DiscordStandIn();
    await standIn.open();
    const env = { DISCORD_TOKEN: standIn.token, DISCORD_API_URL: standIn.apiUrl };
    const server = await serveFathom(set.file, dir, { env, cores: CORES.server });
    let client: Client | undefined;
    try {
      await chatUp(server.port, 'discord');
      await runSteps(quick ? 100 : WARM_UP, standIn, any);
      // At once: the heap shrinks when idle, and growing back would look like a leak.
      const commands = quick ? 500 : 100_000;
      const before = memoryOf(server.child.pid)!.now;
      await runSteps(commands, standIn, any);
      const growth = memoryOf(server.child.pid)!.now - before;

      // Only now: an idle connection would have been closed.
      const reader = new Client(server.port);
      client = reader;
      const read = (until: () => boolean) =>
        steady(reader, () => `/v1/reputation/${any()}`, { perSecond: READS_PER_SECOND, until });

      const rest = quick ? 2 : 15;
      const idle = await read(after(rest));
      const end = after(quick ? 3 : 30);
      const asking = atRate(standIn, any, end);
      const busy = await read(end);
      const times = await asking;

      return [...timeRows(times), ...sideRows(idle, busy, growth, commands)];
    } finally {
      client?.close();
      await server.stop();
      await standIn.close();
    }
  },
};

function after(seconds: number): () => boolean {
  const end = performance.now() + seconds * 1000;
  return () => performance.now() > end;
}

/** Sends `/rep` for a wallet and records when it was acknowledged and answered. */
function askOnce(standIn: DiscordStandIn, wallet: string, times: Times): Promise<void> {
  const asked = standIn.command('rep', { wallet });
  const began = performance.now();
  const callback = asked.callback.bind(asked);
  asked.callback = (answer, fault) => {
    times.acknowledged.push(performance.now() - began);
    return callback(answer, fault);
  };
  return new Promise((resolve) => {
    const edit = asked.edit.bind(asked);
    asked.edit = (body) => {
      times.answered.push(performance.now() - began);
      resolve();
      return edit(body);
    };
  });
}

/** A steady rate, whatever is still in flight. */
async function atRate(
  standIn: DiscordStandIn,
  any: () => string,
  ended: () => boolean,
): Promise<Times> {
  say(`${PER_SECOND} interactions a second`);
  const times: Times = { acknowledged: [], answered: [] };
  const answers: Promise<void>[] = [];
  const began = performance.now();
  while (!ended()) {
    const due = ((performance.now() - began) / 1000) * PER_SECOND;
    while (answers.length < due) answers.push(askOnce(standIn, any(), times));
    await pause(2);
  }
  await Promise.all(answers);
  return times;
}

/** This many commands, as fast as they're answered. */
async function runSteps(
  commands: number,
  standIn: DiscordStandIn,
  any: () => string,
): Promise<void> {
  const times: Times = { acknowledged: [], answered: [] };
  let asked = 0;
  const one = async () => {
    while (asked < commands) {
      asked += 1;
      await askOnce(standIn, any(), times);
      times.acknowledged.length = 0;
      times.answered.length = 0;
      if (asked % 500 === 0) tell('commands', asked, commands);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

function timeRows({ acknowledged, answered }: Times): Row[] {
  const note = `the real service with the real client library, connected to a stand-in for Discord's REST API and gateway that shares the other core with the load generator; ${count(answered.length)} commands at ${PER_SECOND} a second for random wallets, timed from the gateway event to the arrival of the request.`;
  const row = (what: string, samples: number[], limit: number): Row => {
    const p99 = percentile(samples, 0.99);
    const common = { peer: '', ratio: '', target: '', note };
    return {
      what,
      fathom: `${p99.toFixed(1)} ms`,
      limit: `< ${limit} ms`,
      met: p99 < limit,
      ...common,
    };
  };
  return [
    row('Discord: event to acknowledgement, p99', acknowledged, 50),
    row('Discord: event to final answer, p99', answered, 150),
  ];
}

function sideRows(idle: number[], busy: number[], growth: number, commands: number): Row[] {
  const ratio = percentile(busy, 0.99) / percentile(idle, 0.99);
  return [
    {
      what: `Random /v1/reputation during ${PER_SECOND} interactions a second, p99`,
      fathom: micros(percentile(busy, 0.99)),
      peer: `${micros(percentile(idle, 0.99))} without them`,
      limit: '≤ 2.00',
      ratio: ratio.toFixed(2),
      target: '',
      met: ratio <= 2,
      note: `${READS_PER_SECOND} requests a second over one connection, during the interactions of the row above; load generator and stand-in share a core.`,
    },
    {
      what: `Memory gained over ${count(commands)} commands`,
      fathom: `${(growth / 1e6).toFixed(1)} MB`,
      peer: '',
      limit: '< 10 MB',
      ratio: '',
      target: '',
      met: growth < 10e6,
      note: `the service's resident memory after the commands minus before, ${AT_ONCE} at a time, after a warm-up of ${count(WARM_UP)}.`,
    },
  ];
}
