namespace CoAP.NET;

/// <summary>
/// Whether an endpoint uses Q-Block1 and Q-Block2 (RFC 9177): bodies as bursts of Non-confirmable messages, of which only what was lost is
/// sent again. Made for networks that lose much or carry one direction only, such as under an attack. Both options or neither: each value
/// holds for uploads and downloads, as client and as server.
/// </summary>
public enum CoapQBlock
{
    /// <summary>Not at all: to peers both are unknown critical options (RFC 9177 section 4.1). The default.</summary>
    Off,

    /// <summary>With peers whose channel is secured, as RFC 9177 section 11 asks; to all others they are unknown.</summary>
    Secured,

    /// <summary>
    /// With every peer, also without security: for tests and closed networks. Whoever can forge addresses can then cause bursts.
    /// </summary>
    AllowUnsecured,
}
