import { buffer } from 'node:stream/consumers';
import { messageOf } from '#base';
import { reencode } from './reencode.ts';

// The process that decodes one picture, from stdin to stdout, cropped to the size of its arguments.
const [width, height] = process.argv.slice(2).map(Number);
try {
  if (width === undefined || height === undefined) throw new TypeError('needs width and height');
  process.stdout.write(await reencode(await buffer(process.stdin), { width, height }));
} catch (error) {
  process.stderr.write(messageOf(error));
  process.exitCode = 1;
}
