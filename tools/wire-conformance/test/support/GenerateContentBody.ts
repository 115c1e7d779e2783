/**
 * The body of generateContent in the types of Google's own client.
 *
 * The client has the members apart, under the names of the REST interface; it spells enumerations as TypeScript enums,
 * of which the wire has the plain texts.
 */
import type { Content, GenerationConfig, SafetySetting, Tool, ToolConfig } from "@google/genai";

type Wire<T> = T extends string
  ? `${T}`
  : T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Wire<Item>>
    : T extends object
      ? {
          readonly [Member in keyof T as T[Member] extends (...inputs: never) => unknown ? never : Member]: Wire<
            T[Member]
          >;
        }
      : T;

export type GenerateContentBody = Wire<{
  contents: Array<Content>;
  systemInstruction?: Content;
  generationConfig?: GenerationConfig;
  safetySettings?: Array<SafetySetting>;
  toolConfig?: ToolConfig;
  tools?: Array<Tool>;
}>;
