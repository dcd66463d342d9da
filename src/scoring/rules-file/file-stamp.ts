import { statSync } from 'node:fs';
import { messageOf } from '#base';

/** Tells versions of a file apart without reading it. */
export function stampOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    return messageOf(error);
  }
}
