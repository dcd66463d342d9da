import { rmSync } from 'node:fs';
import { NewFile } from '#cli/new-file';

/** A file to write; none of that name may be there. */
export interface PlannedFile {
  readonly path: string;
  readonly text: string;
  /** Its permissions, if others than usual. */
  readonly mode?: number;
}

/**
 * Writes all of the files or none, each in one step.
 * @throws UserError `wrong-usage` if one is there, or can't be created
 */
export function writeFiles(planned: readonly PlannedFile[]): void {
  const files: NewFile[] = [];
  const finished: string[] = [];
  try {
    for (const { path, text, mode } of planned) {
      const file = new NewFile(path, mode);
      files.push(file);
      file.write(text);
    }
    for (const [place, file] of files.entries()) {
      file.finish();
      finished.push(planned[place]?.path ?? '');
    }
  } catch (error) {
    for (const path of finished) rmSync(path, { force: true });
    throw error;
  } finally {
    for (const file of files) file.close();
  }
}
