// The keys of a presenter: what turns pages in any slide show turns views here.
let listen = null;

export default function ({ data, setTriggerValue }) {
  window.removeEventListener("keydown", listen);
  listen = (event) => {
    const { at, last } = data;
    const to = { ArrowRight: at + 1, PageDown: at + 1, " ": at + 1, ArrowLeft: at - 1, PageUp: at - 1, Home: 1, End: last }[event.key];
    const element = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.metaKey || event.altKey || element.closest("textarea, [role=slider], [role=dialog]")) return;
    if (event.key === " " && element.closest("button, a, input, summary")) return; // which the key presses
    if (event.key === "Escape") document.querySelector(".st-key-present_leave a")?.click();
    if (to === undefined) return;
    event.preventDefault();
    if (to >= 1 && to <= last && to !== at) setTriggerValue("to", to);
  };
  window.addEventListener("keydown", listen);
  return () => window.removeEventListener("keydown", listen);
}
