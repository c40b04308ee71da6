"""Where the documentation is: scikit-learn's HTML view of an estimator links to its page."""

DOCUMENTATION = "https://l1kpca.readthedocs.io/en/stable"


class Documented:
    """An estimator with a page of its own in the reference."""

    _page_home = "l1kpca"  # the public module that the page is filed under
    _doc_link_module = "l1kpca"
    _doc_link_template = f"{DOCUMENTATION}/api/generated/{{page}}.html"

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        return {"page": f"{self._page_home}.{type(self).__name__}"}
