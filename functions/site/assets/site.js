// Shows the copy buttons, which copy the text beside them. Pages work without this script.

// Announces the result to screen readers.
const said = document.createElement("p");
said.className = "unseen";
said.setAttribute("role", "status");
document.body.append(said);

for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  const label = button.firstElementChild;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const copied = await copy(source);
    label.textContent = copied ? "Copied" : "Selected";
    said.textContent = copied ? "Copied." : "Selected. Copy it with your keyboard.";
    setTimeout(() => {
      label.textContent = "Copy";
      said.textContent = "";
    }, 3000);
  });
}

// Copies the text. If the browser does not allow that, selects it and returns false.
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    return true;
  } catch {
    if (source.select) {
      source.focus();
      source.select();
    } else {
      getSelection().selectAllChildren(source);
    }
    return false;
  }
}
