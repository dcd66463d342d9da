import { loadConfig } from '#app/config';
import type { CliCommand } from './command.ts';

export const serveCommand: CliCommand = {
  name: 'serve',
  synopsis: '',
  summary: 'run the service',
  help: `Answers at HOST and PORT until it gets SIGINT or SIGTERM. Settings come from the environment and
from .env beside .env.example, which lists them. Without any, it serves demo data: made-up wallets.`,
  options: {},
  operands: { min: 0, max: 0 },
  async run(_, { env }) {
    const config = loadConfig(env);
    // Loaded here, so that the other commands start without the server's packages.
    const { runServer } = await import('#app/main');
    await runServer(config);
    return 0;
  },
};
