// Shows the buttons that copy the text beside them. Without a script nothing else is missing.

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
    said.textContent = copied ? "Copied." : "Selected: copy it with your keyboard.";
    setTimeout(() => {
      label.textContent = "Copy";
      said.textContent = "";
    }, 3000);
  });
}

// Where the browser does not let a page copy, the text is selected.
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
