/** What a model's answer came without, as far as a person has not been told it already. */
import { warning as isPlayed } from "@cahier/provider-gateway/protocols/scripted/ScriptedModel";

/** Of a scripted model it is said once, where the model is named, and not at each of its answers. */
export const isForPeople = (text: string): boolean => text !== isPlayed;
