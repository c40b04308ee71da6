"""scikit-learn's HTML view of an estimator links to our pages."""

import re
from pathlib import Path

import pytest
from sklearn.utils import estimator_html_repr

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, TableEncoder
from l1kpca.links import DOCUMENTATION
from l1kpca.peers import (
    JointL1KernelPCA,
    KwakKernelPCA,
    L2KernelPCA,
    R1KernelPCA,
    XiaoKernelPCA,
)

REFERENCE = Path(__file__).parent.parent / "docs" / "api"
OURS = (
    L1KernelPCA, KernelPCAOutlierDetector, TableEncoder,
    JointL1KernelPCA, KwakKernelPCA, L2KernelPCA, R1KernelPCA, XiaoKernelPCA,
)  # fmt: skip


@pytest.mark.parametrize("estimator", OURS)
def test_the_link_leads_to_a_page_of_the_reference(estimator):
    link = re.escape(DOCUMENTATION) + r"/api/generated/([\w.]+)\.html"
    (page,) = set(re.findall(link, estimator_html_repr(estimator())))
    listed = "\n".join(file.read_text() for file in REFERENCE.glob("*.rst"))
    assert f"   {page}\n" in f"{listed}\n"


class Mine(L1KernelPCA):
    """A class of the user's own, which has no page."""


def test_a_class_of_the_users_own_has_no_link():
    assert DOCUMENTATION not in estimator_html_repr(Mine())
