namespace CoAP.NET.Blockwise;

/// <summary>The bounds for bodies in the whole endpoint (RFC 7959 section 7.1).</summary>
/// <param name="limits">The bounds.</param>
internal sealed class BodyMemory(CoapLimits limits)
{
    // The divisor of NewcomerBytes, in addition to it: an attacker that forges addresses needs one datagram for each of these.
    private const int PartOfNewcomerBytes = 4;

    /// <summary>For the bodies of requests, block by block.</summary>
    public BodyBudget Requests { get; } = new(limits.MaxAssemblyBytes, limits.PeerAssemblyShare,
        limits.NewcomerBytes / PartOfNewcomerBytes);

    /// <summary>For the bodies of responses that are fetched block by block.</summary>
    public BodyBudget Responses { get; } = new(limits.MaxRepresentationBytes, limits.PeerAssemblyShare,
        limits.NewcomerBytes / PartOfNewcomerBytes);
}
