using CoAP.NET.PubSub.Telemetry;
using CoAP.NET.PubSub.Topics;

namespace CoAP.NET.PubSub.Serving;

/// <summary>Requests to the data of topics: publications, readers and subscribers.</summary>
internal sealed class TopicDataHandlers(BrokerContext parts, TopicAuthorizer clients, TopicCollection collection, TopicEviction room)
{
    private static readonly CoapResult s_notThere = new(CoapCode.NotFound);

    // Caches do not learn of changes. Data that a client only reads are therefore fresh for at most the default (RFC 7252 section 5.10.5).
    private readonly TimeSpan? _maxAge = parts.Options.DataMaxAge < TimeSpan.FromMinutes(1) ? parts.Options.DataMaxAge : null;

    private readonly TopicOwnerNodeClient _owner = new(parts);

    /// <summary>GET: returns the last publication. With Observe the client subscribes; the route limits and counts subscribers.</summary>
    public CoapResult Read(CoapRequestContext request)
    {
        if (collection.Find(request) is not { State: { HasData: true } state } topic)
        {
            return s_notThere;
        }

        if (!clients.Authorize(request, CoapPubSubOperation.ReadData, topic))
        {
            return CoapResults.Forbidden("You may not read the data of this topic.");
        }

        CoapResult result = CoapResults.Bytes(state.Data, state.Format).WithETag(TagOf(state)!.Value);
        return _maxAge is { } maxAge ? result.WithMaxAge(maxAge) : result;
    }

    /// <summary>PUT: publishes.</summary>
    public async ValueTask<CoapResult> PublishAsync(CoapRequestContext request, CancellationToken cancellationToken)
    {
        if (collection.Find(request) is not { } topic)
        {
            return s_notThere;
        }

        if (!clients.Authorize(request, CoapPubSubOperation.Publish, topic))
        {
            return CoapResults.Forbidden("You may not publish to this topic.");
        }

        if (parts.Options.Limits.PublicationsPerSecond is { } rate
            && topic.Rates.Take(request.Peer.Source, rate, parts.Options.TimeProvider) is { } wait)
        {
            parts.Counts.Add(PubSubCounterKind.TooFast);
            return CoapResults.TooManyRequests(wait);
        }

        TopicState state = topic.State;
        if (request.CheckPreconditions(TagOf(state)) is { } failed)
        {
            return failed;
        }

        string source = state.Source;
        long more = Math.Max(0, request.Payload.Length - state.Data.Length);
        if (await room.TakeAsync(request, source, 0, more, cancellationToken).ConfigureAwait(false) is { } full)
        {
            return full;
        }

        try
        {
            TopicOwnerRequest ownerRequest = _owner.MakeRequest(TopicOwnerOperation.Publish, state) with
            {
                Data = request.Payload,
                Format = request.ContentFormat,
                IsDurable = parts.Options.KeepEachPublication,
                Expected = TopicOwnerNodeClient.IsConditional(request) ? state.DataTag : null,
            };
            (TopicOwnerResponse reply, CoapResult? refusal) = await _owner.SendAsync(topic.Key, ownerRequest, cancellationToken)
                .ConfigureAwait(false);
            if (refusal is not null)
            {
                return refusal;
            }

            parts.Counts.Add(PubSubCounterKind.Publications);

            // A publisher that echoes it is verified and may create topics without another round trip.
            CoapResult published = new(reply.Code);
            return request.Peer.IsVerified ? published : published.WithEcho();
        }
        finally
        {
            // Data in the table count by themselves.
            parts.Shares.Return(topic.SourceHash, 0, more);
        }
    }

    /// <summary>DELETE: returns the topic to its state before the first publication, without its initial data.</summary>
    public async ValueTask<CoapResult> DeleteAsync(CoapRequestContext request, CancellationToken cancellationToken)
    {
        if (collection.Find(request) is not { } topic)
        {
            return s_notThere;
        }

        if (!clients.Authorize(request, CoapPubSubOperation.DeleteData, topic))
        {
            return CoapResults.Forbidden("You may not delete the data of this topic.");
        }

        TopicState state = topic.State;
        if (request.CheckPreconditions(TagOf(state)) is { } failed)
        {
            return failed;
        }

        TopicOwnerRequest ownerRequest = _owner.MakeRequest(TopicOwnerOperation.DeleteData, state) with
        {
            Expected = TopicOwnerNodeClient.IsConditional(request) ? state.DataTag : null,
        };
        (_, CoapResult? refusal) = await _owner.SendAsync(topic.Key, ownerRequest, cancellationToken).ConfigureAwait(false);
        return refusal ?? CoapResults.Deleted();
    }

    private static CoapETag? TagOf(TopicState state) => state.HasData ? CoapETag.FromVersion(state.DataTag) : null;
}
