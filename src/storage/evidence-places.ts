import { IMPORT, sortable } from '#scoring';

/** The stored form of a chain event's place: sorting the texts sorts events across all heights. */
export function keptPlace(height: number, place: string): string {
  return `${sortable(height)}.${place}`;
}

/** The place within its height, from the stored form. */
export function shownPlace(source: string, kept: string): string {
  return source === IMPORT ? kept : kept.slice(kept.indexOf('.') + 1);
}
