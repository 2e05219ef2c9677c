namespace CoAP.NET.Options;

/// <summary>What happens with a message after the check of its options.</summary>
internal enum OptionVerdictKind : byte
{
    /// <summary>The message is processed.</summary>
    Accepted,

    /// <summary>A critical option is not recognized: 4.02 to a request; a response is rejected (RFC 7252 section 5.4.1).</summary>
    BadOption,

    /// <summary>Hop-Limit is out of range: 4.00 (RFC 8768 section 3).</summary>
    BadHopLimit,

    /// <summary>The value of a recognized critical option is invalid: 4.00.</summary>
    BadValue,
}
