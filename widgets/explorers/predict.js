// One question and its answers as a form: native radio buttons, so that the keyboard works as everywhere on the web.
// Radio buttons of different forms never share a group, so all questions can use one name.
// All words come from the kernel; this file only says which of them are shown.

function element(kind, properties, ...children) {
  const made = Object.assign(document.createElement(kind), properties);
  made.append(...children);
  return made;
}

function render({ model, el }) {
  const radios = model.get("answers").map((_, i) => element("input", { type: "radio", name: "answer", value: i }));
  const lines = model.get("answers").map((answer, i) =>
    element("label", {}, radios[i], element("b", { textContent: answer[0] }), element("span", { textContent: answer[1] })));
  const [commit, withdraw] = model.get("buttons").map((textContent, i) =>
    element("button", { textContent, type: i ? "button" : "submit", className: "jupyter-button widget-button" }));
  const said = element("p", { tabIndex: -1, role: "status" });
  const form = element("form", {}, element("fieldset", {},
    element("legend", { textContent: model.get("question") }), ...lines, commit, withdraw));
  // JupyterLab takes arrows and Enter for itself unless the element that has the focus says no.
  for (const control of [...radios, commit, withdraw]) control.setAttribute("data-lm-suppress-shortcuts", "true");
  el.classList.add("prediction");
  el.append(form, said);

  function show() {
    const [choice, committed] = [model.get("choice"), model.get("committed")];
    radios.forEach((radio, i) => Object.assign(radio, { checked: i === choice, disabled: committed }));
    commit.hidden = committed;
    commit.disabled = choice < 0;
    withdraw.hidden = !committed;
    said.textContent = committed ? model.get("said")[choice] : model.get("asking");
  }
  function save(changes, next) {
    for (const name in changes) model.set(name, changes[name]);
    model.save_changes();
    next?.focus();
  }
  model.on("change:choice change:committed", show);
  form.onchange = (event) => save({ choice: Number(event.target.value) });
  form.onsubmit = (event) => {
    event.preventDefault();
    if (!model.get("committed") && model.get("choice") >= 0) save({ committed: true }, said);
  };
  withdraw.onclick = () => save({ committed: false }, radios[model.get("choice")]);
  show();
  return () => model.off("change:choice change:committed", show);
}

export default { render };
