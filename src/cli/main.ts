import { loadEnvFile } from '#app';
import { cliCommands } from './commands.ts';
import { dispatch } from './dispatch.ts';

const isService = process.argv[2] === 'serve';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Only its log goes there. It serves on while that can't be written, and logs on when it can again.
  if (isService) return;
  // The reader of our output may stop: `fathom keys list | head -1`.
  if (error.code === 'EPIPE') process.exit();
  // It may be a file on a full disk.
  process.stderr.write(`Can't write the results: ${error.message}.\n`);
  process.exit(1);
});

// Nobody can be told, as of `fathom import FILE 2>&1 | head`; what is under way goes on.
process.stderr.on('error', () => undefined);

let isLoaded = false;
const { stdout, stderr } = process;
const code = await dispatch(cliCommands, process.argv.slice(2), {
  stdout,
  stderr,
  // Loaded when a command needs it, so a fault in the file is reported like any other, and help
  // doesn't need it.
  get env() {
    if (!isLoaded) loadEnvFile(process.env);
    isLoaded = true;
    return process.env;
  },
});
// An interrupted command may have left a pending read from a silent pipe, which would never end.
if (code > 2) process.exit(code);
process.exitCode = code;
