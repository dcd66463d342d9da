import { buffer } from 'node:stream/consumers';
import { reencode } from './reencode.ts';

// The process that decodes one picture, from stdin to stdout, cropped to the size of its arguments.
const [width, height] = process.argv.slice(2).map(Number);
try {
  if (width === undefined || height === undefined) throw new TypeError('needs width and height');
  process.stdout.write(await reencode(await buffer(process.stdin), { width, height }));
} catch (error) {
  // Not by `messageOf`: to load base takes longer than to draw most pictures.
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
