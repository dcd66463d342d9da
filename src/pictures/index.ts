/** Draws rank cards and badges as PNG. */

export { lastingBadgePath } from './badge-path.ts';
export { BadgePictures } from './badges/badge-pictures.ts';
export { fetchBanner } from './banner.ts';
export { creatureSvg } from './creature.ts';
export { PictureCache } from './picture-cache.ts';
export { openPictures } from './studio.ts';
export { type ImageFetcher, openImageFetcher } from './untrusted/image-fetcher.ts';
