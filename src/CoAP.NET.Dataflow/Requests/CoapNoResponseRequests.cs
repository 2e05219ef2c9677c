using CoAP.NET.Options;

namespace CoAP.NET;

/// <summary>
/// Requests that need no response, or not every one (RFC 7967): for frequent updates whose outcome does not matter. Non-confirmable ones to
/// a peer are NSTART and PROBING_RATE apart, as any that are not answered: send something Confirmable now and then, which shows that the
/// peer is there, or set these parameters for the peer (RFC 7967 section 3.2).
/// </summary>
public static class CoapNoResponseRequests
{
    /// <summary>Sends a request without interest in any response; sets <see cref="CoapRequest.NoResponse"/>.</summary>
    /// <param name="requester">Who sends.</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A task that ends when the request was acknowledged (Confirmable) or sent (Non-confirmable). What came of it remains
    /// unknown.</returns>
    /// <exception cref="CoapException">It was not acknowledged or could not be sent; the derived type says why.</exception>
    public static async Task SendWithoutResponseAsync(this ICoapRequester requester, CoapRequest request,
        CancellationToken cancellationToken = default) =>
            await requester.SendAsync(request, NoResponseClasses.All, cancellationToken).ConfigureAwait(false);

    /// <summary>Sends a request without interest in some classes of responses; sets <see cref="CoapRequest.NoResponse"/>.</summary>
    /// <param name="requester">Who sends.</param>
    /// <param name="request">The request. Its <see cref="CoapRequest.Timeout"/> says how long to wait for a response of the other
    /// classes.</param>
    /// <param name="notWanted">The classes that the server need not send.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response; null when none came, which says neither that it succeeded nor that it failed.</returns>
    /// <exception cref="CoapException">It was not acknowledged or could not be sent; the derived type says why.</exception>
    public static async Task<CoapResponse?> SendAsync(this ICoapRequester requester, CoapRequest request, NoResponseClasses notWanted,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(requester);
        ArgumentNullException.ThrowIfNull(request);
        request.NoResponse = notWanted;
        try
        {
            CoapResponse response = await requester.SendAsync(request, cancellationToken).ConfigureAwait(false);
            return response.IsNone ? null : response;
        }
        catch (CoapTimeoutException exception)
            when (exception.Reason == CoapTimeoutReason.NoResponse && notWanted != NoResponseClasses.None)
        {
            return null;
        }
    }
}
