/**
 * The JSON text of a new message line, in the shape in which SillyTavern 1.19 writes one.
 */
import type { JsonObject } from "./json.ts";

/** What the assistant says. `avatar` holds what SillyTavern needs to show a group's member. */
export const assistant = (message: {
  readonly name: string;
  readonly text: string;
  readonly at: string;
  readonly extra: JsonObject;
  readonly avatar: JsonObject;
}): string =>
  JSON.stringify({
    extra: message.extra,
    name: message.name,
    is_user: false,
    is_system: false,
    send_date: message.at,
    mes: message.text,
    title: "",
    ...message.avatar,
    swipes: [message.text],
    swipe_id: 0,
    swipe_info: [{ send_date: message.at, extra: message.extra }],
  });

/** What the user says. */
export const user = (message: {
  readonly name: string;
  readonly text: string;
  readonly at: string;
  readonly avatar: JsonObject;
}): string =>
  JSON.stringify({
    name: message.name,
    is_user: true,
    is_system: false,
    send_date: message.at,
    mes: message.text,
    extra: { isSmallSys: false },
    ...message.avatar,
  });
