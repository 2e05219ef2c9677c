namespace CoAP.NET.Hosting;

/// <summary>A client of an application, with a base address and common settings of its requests: the parameter of typed clients.</summary>
/// <remarks>
/// Long-lived, shared, thread-safe, and closed with the host. The methods of <see cref="CoapRequests"/> and <see cref="CoapObservations"/>
/// work on it; URIs are relative to <see cref="BaseAddress"/>.
/// </remarks>
public interface ICoapClient : ICoapObserver
{
    /// <summary>The name of the client; empty for the one without a name.</summary>
    string Name { get; }

    /// <summary>The base of relative URIs; null for none.</summary>
    CoapUri? BaseAddress { get; }

    /// <summary>The endpoint of the client. Requests sent on it directly are not relative and pass no handlers.</summary>
    CoapEndpoint Endpoint { get; }

    /// <summary>
    /// Pings a peer, for at most the timeout of the client; see <see cref="CoapEndpoint.PingAsync(string, CancellationToken)"/>.
    /// </summary>
    /// <param name="uri">Scheme, host and port; null for those of <see cref="BaseAddress"/>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The round-trip time.</returns>
    /// <exception cref="CoapException">The peer did not answer; the derived type has the reason.</exception>
    Task<TimeSpan> PingAsync(string? uri = null, CancellationToken cancellationToken = default);

    /// <summary>
    /// Pings a peer, for at most a given time; see <see cref="CoapEndpoint.PingAsync(string, TimeSpan, CancellationToken)"/>.
    /// </summary>
    /// <param name="uri">Scheme, host and port; null for those of <see cref="BaseAddress"/>.</param>
    /// <param name="timeout">The timeout; <see cref="Timeout.InfiniteTimeSpan"/> for no limit but that of retransmission.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The round-trip time.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is neither above zero nor infinite.</exception>
    /// <exception cref="CoapException">The peer did not answer; the derived type has the reason.</exception>
    Task<TimeSpan> PingAsync(string? uri, TimeSpan timeout, CancellationToken cancellationToken = default);

    /// <summary>
    /// Sends a Non-confirmable request to a group and returns the answers of its members as they come; see
    /// <see cref="CoapEndpoint.SendToGroupAsync"/>. It does not run the handlers.
    /// </summary>
    /// <param name="request">The request; Confirmable must be false.</param>
    /// <param name="options">Interface, reach and limits; null for the defaults.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The answers; each enumeration sends the request again.</returns>
    IAsyncEnumerable<CoapGroupResponse> SendToGroupAsync(CoapRequest request, CoapGroupRequestOptions? options = null,
        CancellationToken cancellationToken = default);
}
