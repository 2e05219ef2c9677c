using CoAP.NET.Diagnostics;
using CoAP.NET.Proxy.Upstreams;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>Responses that pass through the proxy as a stream, block by block, with a window in memory (RFC 7959).</summary>
/// <param name="options">The options of the proxy.</param>
/// <param name="counts">The counters.</param>
/// <param name="random">Creates entity-tags for responses that have none.</param>
internal sealed class StreamedResponses(CoapProxyOptions options, EventCounter<ProxyCounterKind> counts, CoapRandomSource random)
{
    /// <summary>
    /// Decides whether the response can be a stream. Only a safe request in one message can be repeated for a later block; a response for
    /// observers is one representation for all of them and must be complete.
    /// </summary>
    /// <returns>Null if the body must be buffered.</returns>
    public ResponseBodyOffset? StartFor(CoapRequestContext request, bool isObserved)
    {
        bool isAskedForOnce = !request.Code.IsSafe || request.Options.Block1 is not null;
        if (isAskedForOnce || isObserved || request.IsForObservers || options.Limits.StreamsAbove >= options.Limits.MaxBodySize)
        {
            return null;
        }

        // A client that asks for a late block, of which nothing is buffered, gets it without the blocks before.
        long offset = request.Options.Block2?.ByteOffset ?? 0;
        return new ResponseBodyOffset(offset >= options.Limits.StreamsAbove ? offset : 0);
    }

    /// <summary>Returns the response for the client.</summary>
    /// <param name="head">The forwarded part of the server's response; owned by the result afterwards.</param>
    /// <param name="body">The body, starting at the place.</param>
    /// <param name="place">The requested place.</param>
    /// <param name="size">The size of the whole body according to the server; null if unknown.</param>
    public CoapResult Of(CoapResult head, Stream body, ResponseBodyOffset place, long? size)
    {
        counts.Add(ProxyCounterKind.Streamed);
        CoapETag tag = head.Options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> given)
            ? new CoapETag(given)
            : CoapETag.FromVersion(random.NextUInt64());
        CoapResult result = CoapResults.Sequential(
            new UpstreamResponseBody(body, Math.Max(0, options.Limits.MaxStreamedBodySize - place.Offset), counts), tag, null,
                place.Offset, size);

        // The result already has the tag.
        head.OwnOptions.Remove(OptionNumber.ETag);
        result.OwnOptions.AddAll(head.Options);
        return result;
    }
}
