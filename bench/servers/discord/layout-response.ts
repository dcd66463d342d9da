import { snowflake } from './ids.ts';

type Loose = Readonly<Record<string, unknown>>;

/** A component of a layout as Discord returns it: with its defaults, and its media resolved. */
export function layoutResponse(part: Loose): Loose {
  switch (part.type) {
    case 11:
      return { description: null, spoiler: false, ...part, media: mediaOf(part.media) };
    case 12:
      return { ...part, items: (part.items as Loose[]).map(galleryItem) };
    case 13:
      return { spoiler: false, name: null, size: null, ...part, file: mediaOf(part.file) };
    case 14:
      return { spacing: 1, divider: true, ...part };
    case 17:
      return { accent_color: null, spoiler: false, ...part };
    default:
      return part;
  }
}

function galleryItem(item: Loose): Loose {
  return { description: null, spoiler: false, ...item, media: mediaOf(item.media) };
}

function mediaOf(media: unknown): Loose {
  const { url } = media as { readonly url: string };
  const shown = url.replace(/^attachment:\/\//, 'https://cdn.invalid/');
  return { id: snowflake(), url: shown, proxy_url: shown, width: null, height: null };
}
