/** Wires the rooms together: reads the configuration, starts the service and stops it. */

import type { Config } from './config.ts';

export { agreedSettings, type Config, loadConfig, PLATFORMS } from './config.ts';
export { isPostgres } from './config-values.ts';

/** Runs the service: see `main.ts`, whose packages are loaded then; other commands start without them. */
export async function runServer(config: Config): Promise<void> {
  const { runService } = await import('./main.ts');
  await runService(config);
}
export { envFilePath, loadEnvFile } from './env-file.ts';
