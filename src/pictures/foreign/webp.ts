import sharp from 'sharp';

// A file of any other format is for the renderer, or refused: no other decoder of libvips is ever reached.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadWebpBuffer'] });
// The process decodes one picture and ends, behind others.
sharp.cache(false);
sharp.concurrency(1);

/**
 * Unpacks a WebP picture into a PNG, which the renderer can draw; the first frame of an animation.
 * @throws RangeError (as a rejection) if it can't be decoded
 */
export async function pngOfWebp(file: Buffer): Promise<Buffer> {
  try {
    // It's read once and dropped.
    return await sharp(file, { failOn: 'error' }).png({ compressionLevel: 1 }).toBuffer();
  } catch (error) {
    throw new RangeError("it's a WebP that can't be decoded", { cause: error });
  }
}
