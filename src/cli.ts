import { config } from 'dotenv';
import { cliCommands } from '#cli/commands';
import { dispatch } from '#cli/dispatch';

config({ quiet: true });

// Whoever reads our output may stop reading: `fathom keys list | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const { env, stdout, stderr } = process;
const code = await dispatch(cliCommands, process.argv.slice(2), { env, stdout, stderr });
// An interrupted command may have left a read from a silent pipe behind, which would never end.
if (code > 2) process.exit(code);
process.exitCode = code;
