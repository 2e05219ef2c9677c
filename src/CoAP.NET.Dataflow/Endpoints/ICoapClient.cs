namespace CoAP.NET;

/// <summary>A client with a base address and common settings of its requests: a <see cref="CoapClient"/>, or a client of a host.</summary>
/// <remarks>
/// Long-lived, shared and thread-safe. The methods of <see cref="CoapRequests"/>, <see cref="CoapObservations"/> and
/// <see cref="CoapGroupRequests"/> work on it; URIs are relative to <see cref="BaseAddress"/>. The clients of a host are the parameters of
/// typed clients; they run the handlers of the application, and the host closes them.
/// </remarks>
public interface ICoapClient : ICoapObserver
{
    /// <summary>The base of relative URIs; null for none.</summary>
    CoapUri? BaseAddress { get; }

    /// <summary>The forward proxy that gets the requests of the client; null for none.</summary>
    CoapUri? Proxy { get; }

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
    /// <see cref="CoapEndpoint.SendToGroupAsync"/>. It does not run the handlers of a host.
    /// </summary>
    /// <param name="request">The request; Confirmable must be false.</param>
    /// <param name="options">Interface, reach and limits; null for the defaults.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The answers; each enumeration sends the request again.</returns>
    /// <exception cref="InvalidOperationException">The client has a <see cref="Proxy"/>, which forwards no group requests.</exception>
    IAsyncEnumerable<CoapGroupResponse> SendToGroupAsync(CoapRequest request, CoapGroupRequestOptions? options = null,
        CancellationToken cancellationToken = default);
}
