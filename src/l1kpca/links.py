"""Where the documentation is: scikit-learn's HTML view of an estimator links to its page."""

DOCUMENTATION = "https://l1kpca.readthedocs.io/en/stable"


class Documented:
    """An estimator with a page of its own in the reference."""

    _doc_link_module = "l1kpca"
    _doc_link_template = f"{DOCUMENTATION}/api/generated/{{page}}.html"

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        inner = type(self).__module__.split(".")[1]
        home = "l1kpca.peers" if inner == "peers" else "l1kpca"
        return {"page": f"{home}.{type(self).__name__}"}
