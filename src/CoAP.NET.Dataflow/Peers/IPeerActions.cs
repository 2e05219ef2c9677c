using CoAP.NET.Errors;

namespace CoAP.NET.Peers;

/// <summary>
/// What an endpoint does for its shards, and for the application's view of a peer (<see cref="CoapPeer"/>). The caller holds no lock.
/// </summary>
internal interface IPeerActions
{
    /// <summary>Handles a connection or session that is ready.</summary>
    void OnReady(CoapChannel channel);

    /// <summary>Handles a connection or session that has ended.</summary>
    void OnGone(CoapChannel channel, CoapConnectionException reason);

    /// <summary>Handles an error after which the endpoint cannot go on.</summary>
    void Fault(CoapException error);

    /// <summary>The channel of a peer now: an endpoint forgets a peer that is idle for long, and creates another channel later.</summary>
    CoapChannel Current(CoapChannel channel);

    Task<CoapResponse> SendAsync(CoapChannel channel, CoapRequest request, CancellationToken cancellationToken);

    Task<CoapObservation> ObserveAsync(CoapChannel channel, CoapRequest request, CoapObservationOptions? options,
        CancellationToken cancellationToken);

    /// <summary>Takes over an observation of an earlier process. See <see cref="CoapEndpoint.ResumeObservationAsync"/>.</summary>
    Task<CoapObservation> ResumeObservationAsync(
        CoapExportedObservation state, CoapObservationOptions? options, CancellationToken cancellationToken);

    /// <summary>Checks whether the peer is reachable. See <see cref="CoapPeer.PingAsync"/>.</summary>
    Task<TimeSpan> PingAsync(CoapChannel channel, ClientRequestTimeLimit time, CancellationToken cancellationToken);

    /// <summary>Whether there is a connection or session to the peer.</summary>
    bool IsConnected(CoapChannel channel);

    /// <summary>Returns a token that is cancelled when the connection or session ends.</summary>
    CancellationToken EndOf(CoapChannel channel);

    /// <summary>Closes the connection gracefully. See <see cref="CoapPeer.ReleaseAsync"/>.</summary>
    Task ReleaseAsync(CoapChannel channel, HoldOffOption? holdOff, IReadOnlyList<AlternativeAddressOption> alternativeAddresses,
        CancellationToken cancellationToken);

    /// <summary>The time of the last message, in units of 100 ns; signalling messages count too.</summary>
    long LastHeard(CoapChannel channel);

    /// <summary>The smoothed round-trip time; null without one.</summary>
    TimeSpan? RoundTripTime(CoapChannel channel);
}
