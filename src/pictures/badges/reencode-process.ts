import { buffer } from 'node:stream/consumers';
import { messageOf } from '#core/errors';
import { reencode } from './reencode.ts';

// The process that decodes one picture, from stdin to stdout.
try {
  process.stdout.write(reencode(await buffer(process.stdin)));
} catch (error) {
  process.stderr.write(messageOf(error));
  process.exitCode = 1;
}
