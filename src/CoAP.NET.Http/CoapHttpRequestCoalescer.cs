using System.Globalization;
using System.Text;
using CoAP.NET.Proxy;
using CoAP.NET.Requests;

namespace CoAP.NET.Http;

/// <summary>
/// Combines equal concurrent GETs of <see cref="CoapHttpMessageHandler"/>s into one request to the CoAP server (RFC 8075 section 8.1).
/// </summary>
/// <remarks>
/// Meant for gateways whose clients request the same resources. The request continues as long as one caller waits. Requests are equal by
/// server, URI and options, regardless of the caller; do not share if the response depends on anything else. Unsafe or conditional
/// requests, requests with bodies, and cache directives of a client are not shared. Only one client gets a response of more than 64 KiB;
/// the others send requests of their own. Thread-safe.
/// </remarks>
internal sealed class CoapHttpRequestCoalescer
{
    private const int MaxHeld = 64 * 1024;

    private readonly CoapSingleFlight<(ICoapClient Server, string Request), (CoapResponse Head, CoapResponseBodyStream? Body)> _flights =
        new(static answer => _ = answer.Body?.DisposeAsync().AsTask());

    private long _shared;

    /// <summary>The number of requests that got the response to another one.</summary>
    public long Shared => Interlocked.Read(ref _shared);

    /// <summary>Whether other callers may share a request.</summary>
    internal static bool MayShare(CoapRequest request) =>
        request.Method == CoapMethod.Get && request.CacheMode == CoapCacheMode.Default && request.Content is null
        && request.Payload.IsEmpty && !request.Options.Contains(OptionNumber.ETag) && !request.Options.Contains(OptionNumber.IfMatch)
        && !request.Options.Contains(OptionNumber.IfNoneMatch);

    /// <summary>Joins an equal request, or sends a new one.</summary>
    /// <param name="client">Sends the request.</param>
    /// <param name="request">The request; <see cref="MayShare"/> must be true for it.</param>
    /// <param name="streams">Whether a large body comes as a stream.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    internal async Task<(CoapResponse Head, CoapResponseBodyStream? Body)> SendAsync(
        ICoapClient client, CoapRequest request, bool streams, CancellationToken cancellationToken)
    {
        ((CoapResponse Head, CoapResponseBodyStream? Body) answer, bool isShared) = await _flights.RunAsync(
            (client, KeyOf(request)), token => OpenAsync(client, request, streams, token), cancellationToken).ConfigureAwait(false);
        if (isShared && answer.Body is not null)
        {
            // Only the caller that made the request can read its stream.
            return await OpenAsync(client, request, streams, cancellationToken).ConfigureAwait(false);
        }

        if (isShared)
        {
            Interlocked.Increment(ref _shared);
        }

        return answer;
    }

    private static async Task<(CoapResponse Head, CoapResponseBodyStream? Body)> OpenAsync(
        ICoapClient client, CoapRequest request, bool streams, CancellationToken cancellationToken)
    {
        if (!streams)
        {
            return (await client.SendAsync(request, cancellationToken).ConfigureAwait(false), null);
        }

        CoapOpenedResponse opened = await client.OpenResponseAsync(request, MaxHeld, cancellationToken).ConfigureAwait(false);
        return (opened.Response, opened.Body);
    }

    private static string KeyOf(CoapRequest request)
    {
        StringBuilder key = new(request.Uri?.ToString());
        for (int i = 0; i < request.Options.Count; i++)
        {
            key.Append(CultureInfo.InvariantCulture, $" {request.Options.NumberAt(i)}={Convert.ToHexString(request.Options.ValueAt(i))}");
        }

        return key.ToString();
    }
}
