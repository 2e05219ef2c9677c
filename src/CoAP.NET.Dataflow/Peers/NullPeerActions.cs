using CoAP.NET.Errors;

namespace CoAP.NET.Peers;

/// <summary>Implements <see cref="IPeerActions"/> for shards without an endpoint, such as a mesh that a test builds from stages.</summary>
internal sealed class NullPeerActions : IPeerActions
{
    private NullPeerActions()
    {
    }

    /// <summary>The only instance.</summary>
    public static NullPeerActions Instance { get; } = new();

    public void OnReady(CoapChannel channel)
    {
    }

    public void OnGone(CoapChannel channel, CoapConnectionException reason)
    {
    }

    public void Fault(CoapException error)
    {
    }

    public CoapChannel Current(CoapChannel channel) => channel;

    public Task<CoapResponse> SendAsync(CoapChannel channel, CoapRequest request, CancellationToken cancellationToken) =>
        throw NoEndpoint(channel);

    public Task<CoapObservation> ObserveAsync(CoapChannel channel, CoapRequest request, CoapObservationOptions? options,
        CancellationToken cancellationToken) => throw NoEndpoint(channel);

    public Task<CoapObservation> ResumeObservationAsync(
        CoapExportedObservation state, CoapObservationOptions? options, CancellationToken cancellationToken) =>
        throw new InvalidOperationException("The observation belongs to no endpoint, so it cannot be resumed.");

    public Task<TimeSpan> PingAsync(CoapChannel channel, ClientRequestTimeLimit time, CancellationToken cancellationToken) =>
        throw NoEndpoint(channel);

    public bool IsConnected(CoapChannel channel) => false;

    public CancellationToken EndOf(CoapChannel channel) => CancellationToken.None;

    public Task ReleaseAsync(CoapChannel channel, HoldOffOption? holdOff, IReadOnlyList<AlternativeAddressOption> alternativeAddresses,
        CancellationToken cancellationToken) => throw NoEndpoint(channel);

    public long LastHeard(CoapChannel channel) => channel.LastSeen;

    public TimeSpan? RoundTripTime(CoapChannel channel) => null;

    private static InvalidOperationException NoEndpoint(CoapChannel channel) =>
        new($"{channel} belongs to no endpoint, so nothing can be sent to it.");
}
