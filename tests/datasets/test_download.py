"""fetch against a real server on this machine, with every fault a server can have."""

import dataclasses
import hashlib
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from scipy.io import savemat

from l1kpca import datasets
from l1kpca.datasets import download, loaders


class Server:
    """Serves `body` at one path; `fault` changes how."""

    def __init__(self, path, body):
        self.path, self.body, self.fault, self.requests = path, body, None, 0
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                owner.answer(self)

            def log_message(self, *args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def answer(self, request):
        self.requests += 1
        if request.path != self.path or self.fault == "gone":
            return request.send_error(404)
        if self.fault == "broken":
            return request.send_error(503)
        body = b"other bytes" if self.fault == "other bytes" else self.body
        request.send_response(200)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body[: len(body) // 2] if self.fault == "cut off" else body)
        return None


@pytest.fixture
def body(tmp_path, arrays):
    savemat(tmp_path / "served.mat", arrays)
    return (tmp_path / "served.mat").read_bytes()


@pytest.fixture
def server(monkeypatch, body):
    """A server of the ionosphere file, whose pin in the catalog is that of the served bytes."""
    pinned = dataclasses.replace(
        datasets.info("ionosphere"), sha256=hashlib.sha256(body).hexdigest()
    )
    monkeypatch.setitem(loaders._CATALOG, "ionosphere", pinned)
    server = Server(f"/{pinned.path}", body)
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.http.shutdown()
    thread.join()
    server.http.server_close()


def fault_text(server, cache, **options):
    with pytest.raises(datasets.FetchError) as caught:
        datasets.fetch("ionosphere", base_url=server.url, **options)
    text = str(caught.value)
    assert text.startswith("ionosphere was not fetched: ")
    assert text.endswith(".")
    assert "\n" not in text
    return text


def files(folder):
    return [path.name for path in folder.iterdir()] if folder.is_dir() else []


def test_a_good_file_is_kept_and_loaded(server, cache, body, arrays):
    path = datasets.fetch("ionosphere", base_url=server.url + "/")
    assert path == cache / "ionosphere.mat"
    assert path.read_bytes() == body
    assert files(cache) == ["ionosphere.mat"]
    data = datasets.load("ionosphere")
    np.testing.assert_array_equal(data.X, arrays["X"])
    assert data.source == str(path)


def test_a_complete_file_is_not_fetched_again(server, cache):
    first = datasets.fetch("ionosphere", base_url=server.url)
    server.fault = "gone"
    assert datasets.fetch("ionosphere", base_url=server.url) == first
    assert server.requests == 1


def test_a_damaged_file_in_the_cache_is_replaced(server, cache, body):
    path = datasets.fetch("ionosphere", base_url=server.url)
    path.write_bytes(body[:100])
    assert datasets.fetch("ionosphere", base_url=server.url).read_bytes() == body
    assert server.requests == 2


def test_the_cache_directory_may_be_chosen(server, tmp_path, cache):
    path = datasets.fetch("ionosphere", tmp_path / "a" / "b", base_url=server.url)
    assert path == tmp_path / "a" / "b" / "ionosphere.mat"
    assert not cache.exists()


def test_the_address_may_come_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("L1KPCA_DATA_URL", server.url)
    assert datasets.fetch("ionosphere").is_file()


def test_other_bytes_are_refused(server, cache):
    server.fault = "other bytes"
    text = fault_text(server, cache)
    assert f"the sha256 of {server.url}{server.path} is not the pinned" in text
    assert datasets.info("ionosphere").sha256 in text
    assert files(cache) == []


def test_a_download_that_is_cut_off_leaves_nothing(server, cache):
    server.fault = "cut off"
    assert "the connection broke off before the end of http" in fault_text(server, cache)
    assert files(cache) == []
    assert datasets.available() == ["wbc"]


def test_after_a_fault_the_next_try_succeeds(server, cache, body):
    server.fault = "cut off"
    fault_text(server, cache)
    server.fault = None
    assert datasets.fetch("ionosphere", base_url=server.url).read_bytes() == body


@pytest.mark.parametrize("fault", ["cut off", "other bytes", "gone"])
def test_a_fault_leaves_the_old_file_alone(server, cache, fault):
    cache.mkdir(parents=True)
    (cache / "ionosphere.mat").write_bytes(b"an older version")
    server.fault = fault
    fault_text(server, cache)
    assert (cache / "ionosphere.mat").read_bytes() == b"an older version"
    assert files(cache) == ["ionosphere.mat"]


@pytest.mark.parametrize(
    ("fault", "status"), [("gone", "404 Not Found"), ("broken", "503 Service Unavailable")]
)
def test_a_refusal_gives_the_servers_status(server, cache, fault, status):
    server.fault = fault
    text = fault_text(server, cache)
    assert f"the server answered {status} for {server.url}{server.path}." in text
    assert files(cache) == []


def test_no_server_is_told_with_a_way_out(server, cache):
    with socket.socket() as unused:  # bound, but nobody listens
        unused.bind(("127.0.0.1", 0))
        server.url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        text = fault_text(server, cache)
    assert (
        "could not be reached (ConnectionRefusedError); check the network, or pass data_dir" in text
    )
    assert files(cache) == []


def test_a_server_that_never_answers_is_given_up(server, cache):
    with socket.socket() as silent:  # accepts connections, but says nothing
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        server.url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        text = fault_text(server, cache, timeout=0.1)
    assert "could not be reached (TimeoutError)" in text


def test_a_cache_that_cannot_be_written_is_named(server, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    text = r"cache_dir='.*file' cannot be written .*; choose another directory\."
    with pytest.raises(datasets.FetchError, match=text):
        datasets.fetch("ionosphere", tmp_path / "file", base_url=server.url)


@pytest.mark.parametrize("address", ["ftp://somewhere", "somewhere"])
def test_an_address_of_another_kind_is_refused(address):
    with pytest.raises(ValueError, match=f"base_url='{address}' is not an http address; it must"):
        datasets.fetch("musk", base_url=address)


def test_progress_is_reported_in_bytes_to_the_end(server, body):
    seen = []
    datasets.fetch(
        "ionosphere", base_url=server.url, progress=lambda done, total: seen.append((done, total))
    )
    done, totals = np.array(seen).T
    assert (totals == len(body)).all()
    assert (np.diff(done) >= 0).all()
    assert done[-1] == len(body)
    assert len(done) > 2


def test_fetch_is_silent(server, capfd):
    datasets.fetch("ionosphere", base_url=server.url)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "commit"),
    [
        ("mnist", "34f7996effac700a5166d882d5e94c6e6078fae3"),
        ("breastw", "ef6d5e8dc828615f498286c1d6a22cbd02fd4cd2"),
    ],
)
def test_pinned_addresses(name, commit):
    assert datasets.info(name).path == f"{commit}/notebooks/data/{name}.mat"
    assert download.BASE_URL == "https://raw.githubusercontent.com/yzhao062/pyod"
