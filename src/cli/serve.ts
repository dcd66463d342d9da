import { loadConfig, runServer } from '#app';
import type { CliCommand } from './command.ts';

export const serveCommand: CliCommand = {
  name: 'serve',
  synopsis: '',
  summary: 'run the service',
  help: `Listens on HOST and PORT until SIGINT or SIGTERM. Settings come from the environment and from
.env; .env.example lists them. Without any settings, it serves demo data with made-up wallets.`,
  options: {},
  operands: { min: 0, max: 0 },
  async run(_, { env }) {
    await runServer(loadConfig(env));
    return 0;
  },
};
