/**
 * Names as the wires of OpenAI take them: letters, digits, `_` and `-`, at most 64 of them.
 *
 * Each depends on nothing but the name, so that it is the same in every request.
 */
import * as Sha256 from "@cahier/domain/payload/Sha256";

/**
 * The name of a speaker: itself where it fits, else with `_` for each other character; undefined for no name. One of
 * which nothing would be left is told from others of the kind by a digest.
 */
export const speaker = (name: string): string | undefined => {
  if (name === "") return undefined;
  if (fits.test(name)) return name;
  return /[A-Za-z0-9]/.test(name) ? plain(name).slice(0, longest) : `name_${digest(name)}`;
};

/** The name of a tool: itself where it fits, else one that no other tool has. */
export const tool = (name: string): string =>
  fits.test(name) ? name : `${plain(name).slice(0, longest - digestLength - 1)}_${digest(name)}`;

const longest = 64;

const fits = /^[A-Za-z0-9_-]{1,64}$/;

const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/gu, "_");

const digestLength = 8;

const digest = (name: string): string => Sha256.ofText(name).slice(0, digestLength);
