import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Whether a chat is connected, and what's wrong if not. */
export interface ChatStatus {
  readonly ok: boolean;
  readonly detail: string;
}

/** Seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5];

type OnCommand = (command: string, outcome: string, seconds: number) => void;

/** Creates one platform's hook, and records Discord's acknowledgements. */
export type ChatCounts = ((platform: string) => OnCommand) & {
  readonly acknowledged: (seconds: number) => void;
};

/** Registers the chats' metrics. @param statuses by platform, read at every scrape */
export function addChatMetrics(
  registry: Registry,
  statuses: () => Record<string, ChatStatus>,
): ChatCounts {
  const registers = [registry];
  const commands = new Counter({
    name: 'fathom_chat_commands_total',
    help: 'Commands from chats, by platform, command and outcome.',
    labelNames: ['platform', 'command', 'outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'fathom_chat_answer_seconds',
    help: 'Time from a command to its delivered answer, by platform.',
    labelNames: ['platform'],
    buckets: BUCKETS,
    registers,
  });
  const acknowledged = new Histogram({
    name: 'fathom_chat_acknowledge_seconds',
    help: 'Time from a Discord interaction to its acknowledgement.',
    buckets: BUCKETS,
    registers,
  });
  new Gauge({
    name: 'fathom_chat_up',
    help: '1 if a chat is connected, otherwise 0; by platform.',
    labelNames: ['platform'],
    registers,
    collect() {
      this.reset();
      for (const [platform, { ok }] of Object.entries(statuses())) {
        this.set({ platform }, ok ? 1 : 0);
      }
    },
  });
  const counted = (platform: string): OnCommand => {
    const time = seconds.labels({ platform });
    return (command, outcome, took) => {
      commands.inc({ platform, command, outcome });
      time.observe(took);
    };
  };
  return Object.assign(counted, { acknowledged: (took: number) => acknowledged.observe(took) });
}
