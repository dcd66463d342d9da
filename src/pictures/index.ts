import { hash } from 'node:crypto';
import type { Logger } from '#core/logger';
import type { CardRequest, Pictures, PreparedPicture } from '#core/pictures/pictures';
import { KeptPictures } from './kept.ts';
import type { Job } from './render/jobs.ts';
import { Renderer } from './render/renderer.ts';

/** Raise it when the same data is drawn differently, so that caches drop the old pictures. */
const FORM_VERSION = 1;
/** A card has some 100 KB. */
const MOST_BYTES = 32 * 1024 * 1024;

export interface PictureOptions {
  readonly log: Logger;
  /** For tests. */
  readonly renderer?: Pick<Renderer, 'render' | 'close'>;
  readonly mostBytes?: number;
}

export interface PictureStudio extends Pictures {
  close(): Promise<void>;
}

/** Draws pictures in a thread and keeps them. The thread starts with the first picture. */
export function openPictures(options: PictureOptions): PictureStudio {
  const renderer = options.renderer ?? new Renderer(options);
  const kept = new KeptPictures(options.mostBytes ?? MOST_BYTES);
  const drawing = new Map<string, Promise<Uint8Array>>();

  function prepared(key: string, job: Job): PreparedPicture {
    return {
      digest: key.slice(key.indexOf(' ') + 1),
      kept: kept.get(key),
      draw() {
        const running = drawing.get(key) ?? draw(key, job).finally(() => drawing.delete(key));
        drawing.set(key, running);
        return running;
      },
    };
  }

  async function draw(key: string, job: Job): Promise<Uint8Array> {
    const bytes = await renderer.render(job);
    kept.set(key, bytes);
    return bytes;
  }

  return {
    async card({ card, look, format }: CardRequest) {
      const pngs = new Map<string, Uint8Array>();
      const digest = digestOf([card, look]);
      return prepared(`${format} ${digest}`, { kind: 'card', card, look, format, pngs });
    },
    async badge(badge) {
      return prepared(`badge ${digestOf(badge)}`, { kind: 'badge', badge });
    },
    close: () => renderer.close(),
  };
}

function digestOf(shown: unknown): string {
  return hash('sha256', JSON.stringify([FORM_VERSION, shown]), 'base64url').slice(0, 22);
}
