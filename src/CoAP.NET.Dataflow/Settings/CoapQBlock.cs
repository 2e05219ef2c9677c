namespace CoAP.NET;

/// <summary>
/// Whether an endpoint uses Q-Block1 and Q-Block2 (RFC 9177): it sends bodies as bursts of Non-confirmable messages, and resends only lost
/// ones.
/// </summary>
/// <remarks>
/// Designed for networks with high loss or traffic in one direction only, for example during an attack. Each value applies to both options,
/// to uploads and downloads, as client and as server.
/// </remarks>
public enum CoapQBlock
{
    /// <summary>Off: both options are unknown critical options to peers (RFC 9177 section 4.1).</summary>
    /// <remarks>The default.</remarks>
    Off,

    /// <summary>Only with peers on secured channels, as RFC 9177 section 11 requires; to all others the options are unknown.</summary>
    Secured,

    /// <summary>With every peer, also without security: for tests and closed networks.</summary>
    /// <remarks>Attackers that can forge addresses can then cause bursts.</remarks>
    AllowUnsecured,
}
