namespace CoAP.NET.QBlock;

/// <summary>The peers with which an endpoint uses Q-Block1 and Q-Block2 (RFC 9177).</summary>
/// <remarks>Each value applies to both options, to uploads and downloads, as client and as server.</remarks>
public enum CoapQBlockPolicy
{
    /// <summary>None: both options are unknown critical options to peers (RFC 9177 section 4.1).</summary>
    /// <remarks>This is also the state of options on which <see cref="CoapQBlockExtensions.UseQBlock"/> was not called.</remarks>
    Off,

    /// <summary>Only those on secured channels, as RFC 9177 section 11 requires; to all others the options are unknown.</summary>
    Secured,

    /// <summary>Every peer, also without security: for tests and closed networks.</summary>
    /// <remarks>Attackers that can forge addresses can then cause bursts.</remarks>
    AllowUnsecured,
}
