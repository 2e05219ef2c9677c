namespace CoAP.NET.Hosting;

/// <summary>
/// A client of an application, with a base address and what its requests have in common: what typed clients take. Long-lived, shared by all
/// who ask for it, safe for several threads, and closed with the host. The methods of <see cref="CoapRequests"/> and
/// <see cref="CoapObservations"/> work on it; URIs are relative to <see cref="BaseAddress"/>.
/// </summary>
public interface ICoapClient : ICoapObserver
{
    /// <summary>The name of the client; empty for the one without a name.</summary>
    string Name { get; }

    /// <summary>What URIs are relative to; null for nothing.</summary>
    CoapUri? BaseAddress { get; }

    /// <summary>The endpoint underneath. Requests that are sent on it directly are not relative to anything and pass no handlers.</summary>
    CoapEndpoint Endpoint { get; }

    /// <summary>Asks a peer whether it is there, for the time-out of the client at most; see
    /// <see cref="CoapEndpoint.PingAsync(string, CancellationToken)"/>.</summary>
    /// <param name="uri">Scheme, host and port; null for those of <see cref="BaseAddress"/>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The round-trip time.</returns>
    /// <exception cref="CoapException">The peer did not answer; the derived type says why.</exception>
    Task<TimeSpan> PingAsync(string? uri = null, CancellationToken cancellationToken = default);

    /// <summary>Asks a peer whether it is there, for some time at most; see
    /// <see cref="CoapEndpoint.PingAsync(string, TimeSpan, CancellationToken)"/>.</summary>
    /// <param name="uri">Scheme, host and port; null for those of <see cref="BaseAddress"/>.</param>
    /// <param name="timeout">How long all of it may take; <see cref="Timeout.InfiniteTimeSpan"/> for no limit but that of
    /// retransmission.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The round-trip time.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is not above zero and not infinite.</exception>
    /// <exception cref="CoapException">The peer did not answer; the derived type says why.</exception>
    Task<TimeSpan> PingAsync(string? uri, TimeSpan timeout, CancellationToken cancellationToken = default);

    /// <summary>
    /// Sends a Non-confirmable request to a group and gives the answers of its members as they come; see
    /// <see cref="CoapEndpoint.SendToGroupAsync"/>. Handlers are not asked.
    /// </summary>
    /// <param name="request">The request; Confirmable must be false.</param>
    /// <param name="options">Interface, reach and bounds; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answers; each enumeration sends the request anew.</returns>
    IAsyncEnumerable<CoapGroupResponse> SendToGroupAsync(CoapRequest request, CoapGroupRequestOptions? options = null,
        CancellationToken cancellationToken = default);
}
