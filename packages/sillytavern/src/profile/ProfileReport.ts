/**
 * What became of a foreign profile's fields.
 */
import { writePath } from "@cahier/domain/profile/ProfileIssue";

/**
 * One field of the file, by its place there. `renamed` keeps its meaning under another name, `changed` has another value or
 * meaning, `dropped` is not in the profile. `note` is for people, empty where there is nothing to say.
 */
export interface ReportLine {
  readonly path: string;
  readonly action: "kept" | "renamed" | "dropped" | "changed";
  readonly note: string;
}

export type Place = ReadonlyArray<string | number>;

export const line = (place: Place, action: ReportLine["action"], note = ""): ReportLine => ({
  path: writePath(place),
  action,
  note,
});

/** What a field became: the fields of its section that it now is, and what to tell of it. */
export interface Converted {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly lines: ReadonlyArray<ReportLine>;
}
