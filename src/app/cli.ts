import { cliCommands } from '#cli/commands';
import { dispatch } from '#cli/dispatch';
import { loadEnvFile } from './env-file.ts';

// Whoever reads our output may stop reading: `fathom keys list | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

let isLoaded = false;
const { stdout, stderr } = process;
const code = await dispatch(cliCommands, process.argv.slice(2), {
  stdout,
  stderr,
  // When a command asks for it, so that a fault in the file is told as any other, and help needs none.
  get env() {
    if (!isLoaded) loadEnvFile(process.env);
    isLoaded = true;
    return process.env;
  },
});
// An interrupted command may have left a read from a silent pipe behind, which would never end.
if (code > 2) process.exit(code);
process.exitCode = code;
