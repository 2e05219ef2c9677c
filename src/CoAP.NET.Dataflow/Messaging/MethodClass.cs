namespace CoAP.NET.Messaging;

/// <summary>
/// What it would mean to carry out a duplicate (RFC 7252 sections 4.5 and 5.1). In the order in which memory is given up.
/// </summary>
internal enum MethodClass : byte
{
    /// <summary>Nothing: a safe method, a response, or a message that is only answered with an error.</summary>
    Safe,

    /// <summary>The same effect once more.</summary>
    Idempotent,

    /// <summary>Another effect: what must not happen.</summary>
    Unsafe,
}
