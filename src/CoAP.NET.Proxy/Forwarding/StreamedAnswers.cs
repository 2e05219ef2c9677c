using CoAP.NET.Options;
using CoAP.NET.Proxy.Upstreams;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>Answers that pass through the proxy as a stream, block by block, with a window in memory (RFC 7959).</summary>
/// <param name="options">How the proxy works.</param>
/// <param name="counts">Counts.</param>
/// <param name="random">Makes entity-tags where servers give none.</param>
internal sealed class StreamedAnswers(CoapProxyOptions options, ProxyCounts counts, CoapRandomSource random)
{
    /// <summary>
    /// How an answer may be asked for. Only a safe request in one message can be asked again for a later block; what goes to observers is
    /// one representation for all of them, and so whole.
    /// </summary>
    /// <param name="request">The request as it came.</param>
    /// <param name="isObserved">Whether the answer is for observers.</param>
    /// <returns>Null when its body must be held.</returns>
    public AnswerPlace? PlaceFor(CoapRequest request, bool isObserved)
    {
        bool isAskedForOnce = !request.Code.IsSafe || request.Options.Block1 is not null;
        if (isAskedForOnce || isObserved || request.IsForObservers || options.StreamsAbove >= options.MaxBodySize)
        {
            return null;
        }

        // Who asks for a block far behind, of which nothing is kept, gets it without what is before it.
        long offset = request.Options.Block2?.ByteOffset ?? 0;
        return new AnswerPlace(offset >= options.StreamsAbove ? offset : 0);
    }

    /// <summary>The answer to the client.</summary>
    /// <param name="head">What passes of the server's answer; belongs to the answer afterwards.</param>
    /// <param name="body">The body, from the place on.</param>
    /// <param name="place">What was asked for.</param>
    /// <param name="size">The size of the whole body as the server said; null when it did not.</param>
    public CoapResult Of(CoapResult head, Stream body, AnswerPlace place, long? size)
    {
        counts.Add(ProxyCount.Streamed);
        CoapETag tag = head.Options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> given)
            ? new CoapETag(given)
            : CoapETag.FromVersion(random.NextUInt64());
        CoapResult result = CoapResults.Sequential(
            new UpstreamBody(body, Math.Max(0, options.MaxStreamedBodySize - place.Offset), counts), tag, null, place.Offset, size);

        // The result has the tag already.
        head.Options.Remove(OptionNumber.ETag);
        result.Options.AddAll(head.Options);
        return result;
    }
}
