namespace CoAP.NET.Oscore.Protection;

/// <summary>The reason for rejecting a protected message (RFC 8613 sections 7.4 and 8.2).</summary>
internal enum OscoreFault : byte
{
    /// <summary>No fault.</summary>
    None,

    /// <summary>The option or the COSE object is malformed: 4.02.</summary>
    Malformed,

    /// <summary>No context has the kid and kid context: 4.01.</summary>
    UnknownContext,

    /// <summary>The number was received before, or is too old to tell: 4.01.</summary>
    Replay,

    /// <summary>It fails verification: 4.00.</summary>
    Decryption,
}
