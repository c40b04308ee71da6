"""Where the documentation is: scikit-learn's HTML view of an estimator links to its page."""

import sys

DOCUMENTATION = "https://l1kpca.readthedocs.io/en/stable"


class Documented:
    """An estimator with a page of its own in the reference."""

    _doc_link_module = "l1kpca"
    _doc_link_template = f"{DOCUMENTATION}/api/generated/{{page}}.html"

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        name = type(self).__name__
        home = "l1kpca" if name in sys.modules[self._doc_link_module].__all__ else "l1kpca.peers"
        return {"page": f"{home}.{name}"}
