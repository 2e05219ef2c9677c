namespace CoAP.NET.Options;

/// <summary>What becomes of a message after its options were looked at.</summary>
internal enum OptionVerdictKind : byte
{
    /// <summary>It is processed.</summary>
    Accepted,

    /// <summary>A critical option is not recognized: 4.02 to a request; a response is rejected (RFC 7252 section 5.4.1).</summary>
    BadOption,

    /// <summary>Hop-Limit is out of its range: 4.00 (RFC 8768 section 3).</summary>
    BadHopLimit,

    /// <summary>The value of a recognized critical option is illegal: 4.00.</summary>
    BadValue,
}
