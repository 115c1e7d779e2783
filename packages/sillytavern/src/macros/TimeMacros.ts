/**
 * Macros that tell the time of the scene's clock.
 */
import { argument, type MacroTable, takes, value } from "./MacroDefinition.ts";
import type { MacroScene } from "./MacroScene.ts";
import * as Moment from "./Moment.ts";

const idleDuration = value((scene) => {
  const asked = scene.messages.findLast((message) => message.isUser && !message.isSystem && message.sentAt !== null);
  return asked?.sentAt == null ? "just now" : Moment.inWords(scene.now - asked.sentAt);
});

export const table: MacroTable = {
  time: takes(0, 1, (args, { scene }) => {
    const offset = /^UTC([+-]?\d{1,2}(?:\.\d+)?)$/i.exec(argument(args, 0))?.[1];
    const zoneMinutes = offset === undefined ? scene.zoneMinutes : Number(offset) * 60;
    return Moment.format({ time: scene.now, zoneMinutes }, "LT");
  }),
  date: value((scene) => now(scene, "LL")),
  weekday: value((scene) => now(scene, "dddd")),
  isotime: value((scene) => now(scene, "HH:mm")),
  isodate: value((scene) => now(scene, "YYYY-MM-DD")),
  datetimeformat: takes(1, 1, (args, { scene }) => now(scene, argument(args, 0))),
  idle_duration: idleDuration,
  idleduration: idleDuration,
  timediff: takes(2, 2, (args) => {
    const difference = Date.parse(argument(args, 0)) - Date.parse(argument(args, 1));
    return Number.isNaN(difference) ? "" : Moment.distance(difference);
  }),
};

const now = (scene: MacroScene, pattern: string): string =>
  Moment.format({ time: scene.now, zoneMinutes: scene.zoneMinutes }, pattern);
