import { buffer } from 'node:stream/consumers';
import { messageOf } from '#core/errors';
import { reencode } from './reencode.ts';

// The body of a process that decodes one picture: from its input, to its output.
try {
  process.stdout.write(reencode(await buffer(process.stdin)));
} catch (error) {
  process.stderr.write(messageOf(error));
  process.exitCode = 1;
}
