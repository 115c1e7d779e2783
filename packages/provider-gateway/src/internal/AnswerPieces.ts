/**
 * The texts of an answer in the pieces in which they came: a secret that is spread over several of them stands nowhere
 * in the bytes of the stream, and everybody who joins the pieces has it.
 */
import type { ModelDelta } from "@cahier/domain/model/ModelResponse";
import * as spellings from "./spellings.ts";

export class AnswerPieces {
  readonly #texts = new Map<string, Array<string>>();

  add(delta: ModelDelta): void {
    if (!("text" in delta)) return;
    const key = delta.type === "toolCallDelta" ? `call ${delta.index}` : delta.type;
    const known = this.#texts.get(key);
    if (known === undefined) this.#texts.set(key, [delta.text]);
    else known.push(delta.text);
  }

  /** Whether one of the secrets stands in a text but in none of its pieces. */
  spread(secrets: ReadonlyArray<string>): boolean {
    const spelled = secrets.flatMap(spellings.of);
    return [...this.#texts.values()].some((pieces) => {
      const joined = pieces.join("");
      return spelled.some(
        (spelling) => countOf(joined, spelling) > pieces.reduce((sum, piece) => sum + countOf(piece, spelling), 0),
      );
    });
  }
}

const countOf = (text: string, part: string): number => text.split(part).length - 1;
