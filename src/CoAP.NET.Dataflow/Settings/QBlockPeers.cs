namespace CoAP.NET;

/// <summary>The peers with which an endpoint uses Q-Block1 and Q-Block2.</summary>
internal enum QBlockPeers
{
    /// <summary>None: both options are unknown critical options (RFC 9177 section 4.1).</summary>
    None,

    /// <summary>Those on secured channels.</summary>
    Secured,

    /// <summary>All.</summary>
    All,
}
