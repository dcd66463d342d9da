import sharp from 'sharp';

/** In pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

// A file of any other format is for the renderer, or refused: no other decoder of libvips is ever reached.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['Jpeg', 'Webp', 'Png'].map((format) => `VipsForeignLoad${format}Buffer`),
});
// The process decodes one picture and ends, behind others.
sharp.cache(false);
sharp.concurrency(1);

/**
 * Unpacks a JPEG, WebP or turned PNG into a PNG that the renderer can draw: upright, as its Exif orientation says,
 * in sRGB, also from CMYK, and the first frame of an animation.
 * @param size what will be shown of it; a larger picture is made smaller, down to what covers that
 * @param mostPixels also if the file's header said fewer
 * @throws RangeError (as a rejection) if it can't be decoded
 */
export async function uprightPng(
  file: Buffer,
  { width, height }: PictureSize,
  mostPixels: number,
): Promise<Buffer> {
  try {
    return await sharp(file, { failOn: 'error', limitInputPixels: mostPixels })
      .autoOrient()
      // The renderer enlarges and crops: a strip of one pixel would take gigabytes here.
      .resize({ width, height, fit: 'outside', withoutEnlargement: true })
      // It's read once and dropped.
      .png({ compressionLevel: 1 })
      .toBuffer();
  } catch (error) {
    throw new RangeError("it's a JPEG, WebP or PNG that can't be decoded", { cause: error });
  }
}
