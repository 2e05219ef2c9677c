using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Content.Senml;

/// <summary>
/// A field of a SenML Record: its label in JSON and CBOR (RFC 8428 section 4.3, table 1). The values are the CBOR labels.
/// </summary>
[SuppressMessage("Design", "CA1008:Enums should have zero value", Justification = "The numbers are those of the specification.")]
internal enum SenmlLabel
{
    BaseVersion = -1,
    BaseName = -2,
    BaseTime = -3,
    BaseUnit = -4,
    BaseValue = -5,
    BaseSum = -6,
    Name = 0,
    Unit = 1,
    Value = 2,
    StringValue = 3,
    BooleanValue = 4,
    Sum = 5,
    Time = 6,
    UpdateTime = 7,
    DataValue = 8,

    /// <summary>The field <c>vlo</c> of LwM2M, which has no number: in CBOR its label is the text.</summary>
    ObjectLink = 9,
}
