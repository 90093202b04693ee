"""The formal properties of measures of spans, and which measure has which: Table 1 of the SL-ICM paper."""

PROPERTY_NAMES = (
    "correct_sequence",
    "wrong_sequence",
    "overlap",
    "noise",
    "homogeneity",
    "completeness",
    "length_vs_captured",
    "length_vs_noisy",
    "overlap_increasing",
    "noise_increasing",
    "token_informativeness",
)

_TICKS = {
    "span_f": "yynnyynnnnn",
    "token_f_IO": "yyyynnnnnnn",
    "token_f_BIO_BIOE": "yynyyynnnnn",
    "token_f_IO*": "yyyyyynnnnn",
    "link_f": "yyyyyynnnnn",
    "bcubed": "yyyyyynnnyn",
    "intersection_f": "yyyynnyynyn",
    "sl_icm": "yyyyyyyyyyy",
}


def published_properties() -> dict[str, dict[str, bool]]:
    """List for each metric of the table whether it has a tick at each formal property."""
    return {
        metric: {name: tick == "y" for name, tick in zip(PROPERTY_NAMES, ticks, strict=True)}
        for metric, ticks in _TICKS.items()
    }
