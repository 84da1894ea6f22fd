//! Processes that a test starts, and that stop with it.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// Time limit until a process listens.
const START: Duration = Duration::from_secs(30);

/// A process that listens on ports. The process is killed when the value is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    /// The ports, in the order of the texts that the process prints before them.
    pub ports: Vec<u16>,
    _child: Child,
}

impl Process {
    /// Starts a process and waits until it prints each of these texts, followed by a port, on lines in this order.
    pub(crate) async fn start(command: &mut Command, before: &[&str]) -> anyhow::Result<Self> {
        let name = command.as_std().get_program().display().to_string();
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let mut child = child.spawn().with_context(|| format!("starting {name}"))?;
        let stdout = child.stdout.take().context("its standard output")?;
        let mut lines = BufReader::new(stdout).lines();
        let listens = async {
            let mut ports = Vec::new();
            while let Some(text) = before.get(ports.len()) {
                let Some(line) = lines.next_line().await? else {
                    bail!("it has ended");
                };
                ports.extend(port(&line, text));
            }
            Ok(ports)
        };
        let ports = timeout(START, listens).await;
        let ports = ports.map_err(Into::into).and_then(|ports| ports);
        let ports = ports.with_context(|| format!("waiting for {name} to listen"))?;
        // The output must be read to the end: a process blocks once the pipe is full.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(Self {
            ports,
            _child: child,
        })
    }
}

fn port(line: &str, before: &str) -> Option<u16> {
    let (_, after) = line.split_once(before)?;
    let end = after.find(|letter: char| !letter.is_ascii_digit());
    after[..end.unwrap_or(after.len())].parse().ok()
}
