using CoAP.NET.Proxy;

namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>A server of another protocol that is told who asks, and answers it.</summary>
/// <param name="clock">The clock.</param>
/// <param name="dependsOnClient">Whether it says that its answers depend on who asks.</param>
internal sealed class IdentityUpstreamClient(VirtualClock clock, bool dependsOnClient) : UpstreamClient
{
    public const string Nobody = "nobody";

    public override IReadOnlyCollection<string> Schemes => ["app"];

    public override bool DependsOnClient => dependsOnClient;

    public override async Task<CoapResult> SendAsync(CoapForwardedRequest request, CancellationToken cancellationToken)
    {
        await Task.Delay(TimeSpan.FromSeconds(1), clock, cancellationToken);
        return CoapResults.Text((request.Received.Peer.Identity as CoapNamedPeerIdentity)?.Name ?? Nobody);
    }
}
