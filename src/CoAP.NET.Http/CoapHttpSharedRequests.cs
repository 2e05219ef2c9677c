using System.Globalization;
using System.Text;
using CoAP.NET.Options;
using CoAP.NET.Proxy;

namespace CoAP.NET.Http;

/// <summary>
/// Equal GETs that <see cref="CoapHttpMessageHandler"/>s send at a time are one request to the CoAP server (RFC 8075 section 8.1), for
/// gateways whose clients ask for the same: it goes on as long as one of them waits. Requests are equal by server, URI and options, whoever
/// made them, so do not share where the answer depends on anything else. Changes, conditions, bodies, and what a client wishes of the cache
/// are not shared. An answer of more than 64 KiB is for one client; the others ask for it themselves. Thread-safe.
/// </summary>
public sealed class CoapHttpSharedRequests
{
    private const int MaxHeld = 64 * 1024;

    private readonly CoapSingleFlight<(ICoapRequester Server, string Request), (CoapResponse Head, CoapResponseStream? Body)> _flights =
        new(static answer => _ = answer.Body?.DisposeAsync().AsTask());

    private long _shared;

    /// <summary>How many requests got the answer of another one.</summary>
    public long Shared => Interlocked.Read(ref _shared);

    /// <summary>Whether a request is one that others may ask as well.</summary>
    /// <param name="request">The request.</param>
    internal static bool MayShare(CoapRequest request) =>
        request.Method == CoapMethod.Get && request.CacheMode == CoapCacheMode.Default && request.Content is null
        && request.Payload.IsEmpty && !request.Options.Contains(OptionNumber.ETag) && !request.Options.Contains(OptionNumber.IfMatch)
        && !request.Options.Contains(OptionNumber.IfNoneMatch);

    /// <summary>Joins an equal request, or sends one.</summary>
    /// <param name="requester">What sends.</param>
    /// <param name="request">The request, of which <see cref="MayShare"/> is true.</param>
    /// <param name="streams">Whether a large body comes as a stream.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    internal async Task<(CoapResponse Head, CoapResponseStream? Body)> SendAsync(
        ICoapRequester requester, CoapRequest request, bool streams, CancellationToken cancellationToken)
    {
        ((CoapResponse Head, CoapResponseStream? Body) answer, bool isShared) = await _flights.RunAsync(
            (requester, KeyOf(request)), token => OpenAsync(requester, request, streams, token), cancellationToken).ConfigureAwait(false);
        if (isShared && answer.Body is not null)
        {
            // A stream is read by the one who asked for it.
            return await OpenAsync(requester, request, streams, cancellationToken).ConfigureAwait(false);
        }

        if (isShared)
        {
            Interlocked.Increment(ref _shared);
        }

        return answer;
    }

    private static async Task<(CoapResponse Head, CoapResponseStream? Body)> OpenAsync(
        ICoapRequester requester, CoapRequest request, bool streams, CancellationToken cancellationToken)
    {
        if (!streams)
        {
            return (await requester.SendAsync(request, cancellationToken).ConfigureAwait(false), null);
        }

        CoapOpenedResponse opened = await requester.OpenResponseAsync(request, MaxHeld, cancellationToken).ConfigureAwait(false);
        return (opened.Response, opened.Body);
    }

    private static string KeyOf(CoapRequest request)
    {
        // Made of a URI that was read: its text is the normal one.
        StringBuilder key = new(request.UriText);
        for (int i = 0; i < request.Options.Count; i++)
        {
            key.Append(CultureInfo.InvariantCulture, $" {request.Options.NumberAt(i)}={Convert.ToHexString(request.Options.ValueAt(i))}");
        }

        return key.ToString();
    }
}
