"""The serial number of a device, an implant for example."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.identifier import IdentifierTraits
from sfumato.identifiers._by_column_name import ByColumnName

__all__ = ["DeviceSerial"]


class DeviceSerial(ByColumnName):
    """The serial number of a device, an implant for example, in a column that is called so.

    Examples
    --------
    >>> DeviceSerial().named(("device", "id")), DeviceSerial().fits("SN-77120-A")
    ('device id', True)

    References
    ----------
    45 CFR 164.514(b)(2)(i)(M).
    """

    id: ClassVar[str] = "device-serial"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("device identifier or serial number", "M")
    words: ClassVar[tuple[str, ...]] = (
        "serial", "serial number", "serial no", "device id", "device number", "implant id", "udi", "imsi", "iccid",
        "seriennummer", "geraetenummer", "gerätenummer",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = ("SN-77120-A", "0000123")
    look_alikes: ClassVar[tuple[str, ...]] = ("pump", "[1-5)")
