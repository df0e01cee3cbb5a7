"""A real headless Chromium, driven over its DevTools protocol: what a person's browser shows, asks for, and complains of."""

import base64
import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

from websockets.sync.client import ClientConnection, connect

CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
REASON: Final = "chromium is not installed: it comes with Debian's package chromium"
PATIENCE_SECONDS: Final = 60.0
FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--remote-debugging-port=0",
)
KEYS: Final = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35}
TEXTS: Final = {"Enter": "\r", " ": " "}
WATCHER: Final = """
window.__violations = [];
document.addEventListener('securitypolicyviolation', e => window.__violations.push(e.violatedDirective + ' ' + e.blockedURI));
"""


class Page:
    """One tab. It notes every request and every complaint from before its first document on."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._last = 0
        self.requests: list[str] = []
        self.complaints: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.addScriptToEvaluateOnNewDocument", source=WATCHER)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and return its answer; what is told meanwhile is noted."""
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE_SECONDS))
            if message.get("id") == self._last:
                if "error" in message:
                    raise AssertionError(f"{method}: {message['error']}")
                return dict(message["result"])
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Log.entryAdded":
                self.complaints.append(params["entry"]["text"])
            case "Runtime.consoleAPICalled":
                self.complaints.append(str(params["args"]))
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(params["exceptionDetails"]))
            case "Page.javascriptDialogOpening":
                self.complaints.append(f"a dialog: {params['message']}")
            case _:
                pass

    def open(self, url: str) -> Self:
        """Load a document and wait until it is there."""
        self.call("Page.navigate", url=url)
        return self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def ask(self, expression: str) -> Any:
        """Return what an expression is worth in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, expression: str) -> Self:
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not self.ask(expression):
            assert time.monotonic() < end, f"never true: {expression}; it complains {self.complaints}"
            time.sleep(0.02)
        return self

    def text(self, selector: str = "body") -> str:
        """Return what stands in an element, as it is shown."""
        return str(self.ask(f"document.querySelector({json.dumps(selector)}).innerText"))

    def press(self, *keys: str, shift: bool = False) -> Self:
        """Press keys, one after another."""
        for key in keys:
            said = {"key": key, "windowsVirtualKeyCode": KEYS.get(key, 0), "modifiers": 8 if shift else 0}
            text = TEXTS.get(key, key if len(key) == 1 else "")
            self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **said)
            self.call("Input.dispatchKeyEvent", type="keyUp", **said)
        return self

    def type(self, text: str) -> Self:
        """Put text where the focus is, as an input method does."""
        self.call("Input.insertText", text=text)
        return self

    def look(self, *, width: int = 1280, height: int = 900, dark: bool = False, scripts: bool = True) -> Self:
        """Choose the screen, the colours, and whether scripts run."""
        phone = width < 600
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        return self

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """Take a picture, of the whole page or of what the screen shows."""
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def violations(self) -> list[str]:
        """Return what the page's policy forbade."""
        return list(self.ask("window.__violations"))


@contextmanager
def chromium(profile: Path) -> Iterator[str]:
    """Run a browser; yield the address by which its tabs are made."""
    assert CHROMIUM, REASON
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield f"127.0.0.1:{_port(profile, process)}"
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)


def _port(profile: Path, process: subprocess.Popen[bytes]) -> int:
    found, end = profile / "DevToolsActivePort", time.monotonic() + PATIENCE_SECONDS
    while not (found.exists() and found.read_text().strip()):
        assert process.poll() is None, f"chromium ended with {process.returncode}"
        assert time.monotonic() < end, "chromium opened no port"
        time.sleep(0.05)
    return int(found.read_text().split()[0])


@contextmanager
def tab(browser: str) -> Iterator[Page]:
    """Open a tab, and close it at the end."""
    asked = urllib.request.Request(f"http://{browser}/json/new?about:blank", method="PUT")
    with urllib.request.urlopen(asked, timeout=PATIENCE_SECONDS) as answer:
        target = json.load(answer)
    with connect(target["webSocketDebuggerUrl"], max_size=None, proxy=None) as socket:
        page = Page(socket)
        yield page
        page.call("Page.close")
