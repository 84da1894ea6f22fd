//! Processes that a test starts, and that stop with it.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// Time limit until a process listens.
const START: Duration = Duration::from_secs(30);

/// A process that listens on a port. It is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    /// The port.
    pub port: u16,
    _child: Child,
}

impl Process {
    /// Starts a process and waits until it prints `before`, followed by a port.
    pub(crate) async fn start(command: &mut Command, before: &str) -> anyhow::Result<Self> {
        let name = command.as_std().get_program().display().to_string();
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let mut child = child.spawn().with_context(|| format!("starting {name}"))?;
        let stdout = child.stdout.take().context("its standard output")?;
        let mut lines = BufReader::new(stdout).lines();
        let listens = async {
            while let Some(line) = lines.next_line().await? {
                if let Some(port) = port(&line, before) {
                    return Ok(port);
                }
            }
            bail!("it has ended")
        };
        let port = timeout(START, listens).await;
        let port = port.map_err(Into::into).and_then(|port| port);
        let port = port.with_context(|| format!("waiting for {name} to listen"))?;
        // The output must be read to the end: a process blocks once the pipe is full.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(Self {
            port,
            _child: child,
        })
    }
}

fn port(line: &str, before: &str) -> Option<u16> {
    let (_, after) = line.split_once(before)?;
    let end = after.find(|letter: char| !letter.is_ascii_digit());
    after[..end.unwrap_or(after.len())].parse().ok()
}
