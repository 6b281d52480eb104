// The ways to break something, as parts of a variant.

import { Refusal } from "../methods.mjs";

/** Changes the result of a method. */
export function result(method, edit) {
  return { answer: { [method]: (honest, context) => edit(honest(), context) } };
}

/** Leaves members out of a method's result. */
export function without(method, ...members) {
  return result(method, (honest) => omit(honest, ...members));
}

/** Sets members of a method's result. */
export function having(method, members) {
  return result(method, (honest) => ({ ...honest, ...members }));
}

/** Changes what stands beside a method's result for caches, in the era that has such fields. */
export function caching(method, edit) {
  return result(method, (honest, { era }) => (era === "modern" ? edit(honest) : honest));
}

/** Changes the answer where the honest server refuses. */
export function insteadOfRefusal(method, answer) {
  return {
    answer: {
      [method]: (honest, context) => {
        try {
          return honest();
        } catch (refusal) {
          return answer(context, refusal);
        }
      },
    },
  };
}

/** Refuses a method's requests, those that `when` picks or all of them. */
export function refusing(method, code, when = () => true, message = "This does not work today.") {
  return {
    answer: {
      [method]: (honest, context) => {
        if (when(context.params, context.site)) {
          throw new Refusal(code, message);
        }
        return honest();
      },
    },
  };
}

/** Refuses with another code where the honest server refuses. */
export function refusingAs(method, code) {
  return insteadOfRefusal(method, (_context, { message }) => {
    throw new Refusal(code, message);
  });
}

/** Changes the entry of one skill, wherever it is sent or in one method's result only. */
export function entryOf(key, edit, method) {
  return {
    entry: (entry, skill, at) => (skill.key === key && (method ?? at) === at ? edit(entry, skill) : entry),
  };
}

/** Changes one line of a skill's manifest; a line that becomes `undefined` is left out. */
export function lineOf(key, path, edit, method) {
  const edited = (entry, skill) => {
    const uri = `${skill.root}/${path}`;
    const lines = entry.resources.map((line) => (line.uri === uri ? edit(line) : line));
    return { ...entry, resources: lines.filter((line) => line !== undefined) };
  };
  return entryOf(key, edited, method);
}

/** Adds lines to a skill's manifest. */
export function extraLines(key, lines) {
  return entryOf(key, (entry, skill) => ({ ...entry, resources: [...entry.resources, ...lines(skill, entry)] }));
}

/** Changes the contents that a read of one file gives. */
export function contentsOf(uri, edit) {
  return result("resources/read", (honest, { params }) => {
    return params.uri === uri ? { ...honest, contents: edit(honest.contents[0]) } : honest;
  });
}

/** Changes the text that a read of one file gives. */
export function textOf(uri, edit) {
  return contentsOf(uri, (item) => [{ ...item, text: edit(item.text) }]);
}

export function omit(object, ...members) {
  return Object.fromEntries(Object.entries(object).filter(([member]) => !members.includes(member)));
}

/** Gives a skill another root, and with it another name. */
export function moved(key, root) {
  return {
    skills: (skills) => {
      Object.assign(skills[key], { root });
      skills[key].frontmatter.name = root.slice(root.lastIndexOf("/") + 1);
    },
  };
}
