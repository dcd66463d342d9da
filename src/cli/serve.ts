import { loadConfig } from '#app/config';
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
    const config = loadConfig(env);
    // Loaded here so that other commands start without the server's packages.
    const { runServer } = await import('#app/main');
    await runServer(config);
    return 0;
  },
};
