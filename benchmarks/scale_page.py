def page(results):
    return ""
