#!/usr/bin/env python3
"""Measures the Largest Contentful Paint of pages in Chromium, as on a slow phone.

    tests/tools/page_speed.py http://127.0.0.1:9000 / /anime /anime/2

The processor is slowed down four times, and the network is that of the preset "Slow 4G" of Chromium's
developer tools: 562.5 ms latency for each request, 1.44 Mbit/s. Nothing is cached. Images come from a
server of this script, with 30 KB each, the size of a typical cover. Prints the median of five visits of each page, in
milliseconds, and the bytes that the page's own files took. Needs Chromium, ChromeDriver and openssl.
"""

import http.server
import json
import os
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

from ports import free_ports

VISITS = 5
SLOWDOWN = 4
NETWORK = {"offline": False, "latency": 562.5, "downloadThroughput": 180_000, "uploadThroughput": 84_375}
MEASURE = """
const [done] = arguments;
new PerformanceObserver((list) => {
  const own = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .filter((entry) => entry.name.startsWith(location.origin));
  const paint = list.getEntries().at(-1);
  done([paint.startTime, own.reduce((sum, entry) => sum + entry.transferSize, 0), paint.element?.tagName]);
}).observe({ type: "largest-contentful-paint", buffered: true });
"""


def svg() -> bytes:
    """Returns an image of about 30 KB."""
    noise = os.urandom(11_000).hex()
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="230" height="325"><rect width="230" height="325" fill="#4a6"/><desc>{noise}</desc></svg>'.encode()


class Images(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = svg()
        self.send_response(200)
        self.send_header("content-type", "image/svg+xml")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def serve_images(folder: Path) -> int:
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=images"]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Images)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return int(server.server_address[1])


class Browser:
    def __init__(self, port: int, images: int) -> None:
        self.base = f"http://127.0.0.1:{port}"
        arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--ignore-certificate-errors",
            f"--host-resolver-rules=MAP *:443 127.0.0.1:{images}",
        ]
        options = {"goog:chromeOptions": {"args": arguments}, "timeouts": {"script": 60_000, "pageLoad": 60_000}}
        session = self.post("/session", {"capabilities": {"alwaysMatch": options}})
        self.base += f"/session/{session['sessionId']}"

    def post(self, path: str, body: dict[str, Any]) -> Any:
        data, headers = json.dumps(body).encode(), {"content-type": "application/json"}
        request = urllib.request.Request(self.base + path, data, headers)
        with urllib.request.urlopen(request, timeout=90) as answer:
            return json.load(answer)["value"]

    def cdp(self, command: str, parameters: dict[str, Any]) -> None:
        self.post("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def visit(self, address: str) -> tuple[float, int, str]:
        self.post("/url", {"url": "about:blank"})
        screen = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
        self.cdp("Emulation.setDeviceMetricsOverride", screen)
        self.cdp("Network.enable", {})
        self.cdp("Network.setCacheDisabled", {"cacheDisabled": True})
        self.cdp("Network.emulateNetworkConditions", NETWORK)
        self.cdp("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        self.post("/url", {"url": address})
        # Images below the fold are loaded after the page. The largest paint is known when nothing moves any more.
        time.sleep(2)
        time_ms, size, element = self.post("/execute/async", {"script": MEASURE, "args": []})
        return time_ms, size, element


def main() -> None:
    origin, paths = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        images = serve_images(Path(folder))
        [port] = free_ports(1)
        with subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL) as driver:
            try:
                time.sleep(2)
                browser = Browser(port, images)
                for path in paths:
                    visits = [browser.visit(origin + path) for _ in range(VISITS)]
                    median = statistics.median(visit[0] for visit in visits)
                    print(f"{path}: {median:.0f} ms ({visits[-1][2]}), {visits[-1][1]} bytes of its own")
                browser.cdp("Browser.close", {})
            finally:
                driver.kill()


main()
