import { loadConfig, variablesOf } from '#app/config';
import { createLog, secretsOf } from '#app/log';
import { openService } from '#app/main';
import type { Service } from './service.ts';

/** A service within this process: without signals, an exit code, or memory of its own. */
export type ServedHere = Omit<Service, 'child' | 'stop'> & { stop(): Promise<void> };

/**
 * Serves within this process, on free ports, which takes a fraction of what a process does. That one starts and
 * ends is for the tests of `startService` to show.
 * @param env all the settings there are; it gets none from this process's environment
 */
export async function serveHere(env: Record<string, string> = {}): Promise<ServedHere> {
  const config = loadConfig({ PORT: '0', METRICS_PORT: '0', ...env });
  let output = '';
  const log = createLog({
    level: config.logLevel,
    forPeople: false,
    secrets: secretsOf(config),
    write: (line) => {
      output += line;
    },
  });
  const withdraw = lendVariables(env);
  try {
    const close = await openService(config, log);
    let stopped: Promise<void> | undefined;
    return {
      url: /answers at (http:\/\/\S+?)\/v1/.exec(output)?.[1] ?? '',
      output: () => output,
      stop() {
        stopped ??= close().finally(withdraw);
        return stopped;
      },
    };
  } catch (error) {
    withdraw();
    throw error;
  }
}

/** Settings that rules files name too, as the templates do. */
const OF_BOTH = ['ETHEREUM_RPC_URL', 'SOLANA_RPC_URL', 'ALGORAND_INDEXER_URL', 'SNAPSHOT_API_KEY'];

/** What services in this process have been lent. */
const lent = new Set<string>();

/**
 * Variables that a rules file names are read by the thread that scores, from what this process has when it starts.
 * @returns takes them away again
 */
function lendVariables(env: Record<string, string>): () => void {
  // Where temporary files are is this process's own.
  const kept = new Set([...variablesOf(), 'TMPDIR']);
  const names = Object.keys(env).filter((name) => !kept.has(name) || OF_BOTH.includes(name));
  for (const name of names) {
    if (lent.has(name)) throw new Error(`another service in this process may need ${name}`);
  }
  // npm, for one, sets NODE.
  const own = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) {
    lent.add(name);
    process.env[name] = env[name];
  }
  return () => {
    for (const [name, before] of own) {
      lent.delete(name);
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    }
  };
}
