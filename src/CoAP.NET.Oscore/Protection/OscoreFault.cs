namespace CoAP.NET.Oscore;

/// <summary>Why a protected message is not taken (RFC 8613 sections 7.4 and 8.2).</summary>
internal enum OscoreFault : byte
{
    /// <summary>It is taken.</summary>
    None,

    /// <summary>The option or the COSE object cannot be decoded: 4.02.</summary>
    Malformed,

    /// <summary>No context has the kid and kid context: 4.01.</summary>
    UnknownContext,

    /// <summary>The number came before, or is too old to tell: 4.01.</summary>
    Replay,

    /// <summary>It does not verify: 4.00.</summary>
    Decryption,
}
