using CoAP.NET.Options;

namespace CoAP.NET;

/// <summary>
/// Extension methods for requests that need no response, or only some classes (RFC 7967): for frequent updates whose outcome does not
/// matter.
/// </summary>
/// <remarks>
/// Non-confirmable requests to a peer are limited by NSTART and PROBING_RATE, as all unanswered requests. Therefore send a Confirmable
/// request from time to time, which shows that the peer is reachable, or set these parameters for the peer (RFC 7967 section 3.2).
/// </remarks>
public static class CoapNoResponseRequests
{
    /// <summary>Sends a request and declines every response; sets <see cref="CoapRequest.NoResponse"/>.</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A task that completes when the request was acknowledged (Confirmable) or sent (Non-confirmable). Its outcome remains
    /// unknown.</returns>
    /// <exception cref="CoapException">The request was not acknowledged or could not be sent; the derived type says why.</exception>
    public static async Task SendWithoutResponseAsync(this ICoapRequester requester, CoapRequest request,
        CancellationToken cancellationToken = default) =>
            await requester.SendAsync(request, NoResponseClasses.All, cancellationToken).ConfigureAwait(false);

    /// <summary>Sends a request and declines some classes of responses; sets <see cref="CoapRequest.NoResponse"/>.</summary>
    /// <param name="requester">The client, endpoint or peer that sends the request.</param>
    /// <param name="request">The request. Its <see cref="CoapRequest.Timeout"/> limits the wait for a response of the other
    /// classes.</param>
    /// <param name="notWanted">The classes that the client declines.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response; null if none arrived, which means neither success nor failure.</returns>
    /// <exception cref="CoapException">The request was not acknowledged or could not be sent; the derived type says why.</exception>
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
