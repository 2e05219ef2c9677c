using CoAP.NET.Dtls;

namespace CoAP.NET.Simulation.Holders;

/// <summary>The options of a row's server, which the row changes.</summary>
/// <param name="isShort">Whether they are for the small form, as in tests.</param>
internal sealed class HolderSettings(bool isShort)
{
    public CoapEndpointOptions Endpoint { get; } = new();

    public CoapDtlsServerOptions Dtls { get; } = new();

    public CoapLimits Limits => Endpoint.Limits;

    /// <summary>A size: the large one, or that of the small form.</summary>
    public int Size(int large, int small) => isShort ? small : large;

    /// <summary>Trusts no address, so that those of loopback are verified by nothing but an Echo or a handshake.</summary>
    public void TrustNobody() => Endpoint.TrustedPrefixes.Clear();
}
