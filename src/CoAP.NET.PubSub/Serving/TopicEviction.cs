using CoAP.NET.Diagnostics;
using CoAP.NET.PubSub.Telemetry;
using CoAP.NET.PubSub.Topics;

namespace CoAP.NET.PubSub.Serving;

/// <summary>
/// Finds room for topics and their data. In a full broker, topics of the source with the most are evicted to sources with fewer, so that
/// newcomers find a place although a few sources fill the broker.
/// </summary>
internal sealed class TopicEviction(BrokerContext parts)
{
    // The maximum number of evictions per request. Each is a request, perhaps to another node, and evicted topics do not return when they
    // were not enough.
    private const int MaxEvictions = 64;

    private static readonly TimeSpan s_whenFull = TimeSpan.FromMinutes(1);

    private readonly RateLimitedLog _full = new(parts.Options.TimeProvider);
    private readonly RateLimitedLog _gaveWay = new(parts.Options.TimeProvider);

    /// <summary>Reserves room. Return it with <see cref="TopicQuota.Return"/>; topics in the table count by themselves.</summary>
    /// <param name="request">The request.</param>
    /// <param name="source">The source that owns the topic.</param>
    /// <param name="topics">The number of additional topics, 0 or 1.</param>
    /// <param name="bytes">The number of additional bytes.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response if there is no room; otherwise null.</returns>
    public async ValueTask<CoapResult?> TakeAsync(
        CoapRequestContext request, string source, int topics, long bytes, CancellationToken cancellationToken)
    {
        ulong share = TopicQuota.HashOf(source);
        for (int i = 0; !parts.Shares.TryTake(share, topics, bytes); i++)
        {
            // An address that may be forged evicts no topic.
            if (!request.Peer.IsVerified)
            {
                return CoapResults.FreshnessRequired();
            }

            if (i == MaxEvictions || parts.Shares.TakeForRoom(share, topics, bytes) is not { } topic
                || !await EvictAsync(topic, cancellationToken).ConfigureAwait(false))
            {
                return NoCapacity(source);
            }
        }

        return null;
    }

    private async ValueTask<bool> EvictAsync(Topic topic, CancellationToken cancellationToken)
    {
        TopicOwnerRequest ownerRequest = new()
        {
            Operation = TopicOwnerOperation.Evict, Stamp = parts.Stamps.Next(), Creation = topic.State.Creation,
        };
        try
        {
            TopicOwnerResponse reply = TopicOwnerResponse.Read(await Begin(topic, ownerRequest, cancellationToken).ConfigureAwait(false));
            if (reply.Code == CoapCode.Deleted)
            {
                parts.Counts.Add(PubSubCounterKind.Evicted);
                if (_gaveWay.IsDue())
                {
                    PubSubLog.TopicEvicted(parts.Logger, topic.Path, topic.State.Source, parts.Counts[PubSubCounterKind.Evicted]);
                }

                return true;
            }

            if (reply.Code == CoapCode.NotFound)
            {
                return true;
            }
        }
        catch (Exception exception) when (exception is CoapException or ObjectDisposedException)
        {
            PubSubLog.TableUnavailable(parts.Logger, exception, topic.Path);
        }

        parts.Shares.GiveBack(topic);
        return false;
    }

    private ValueTask<ReadOnlyMemory<byte>> Begin(Topic topic, TopicOwnerRequest ownerRequest, CancellationToken cancellationToken)
    {
        TopicChangeReactions.BeginAsking();
        try
        {
            return parts.Table.RequestAsync(topic.Key, ownerRequest.Write(), cancellationToken);
        }
        finally
        {
            parts.Reactions.EndAsking();
        }
    }

    private CoapResult NoCapacity(string source)
    {
        parts.Counts.Add(PubSubCounterKind.NoCapacity);
        if (_full.IsDue())
        {
            PubSubLog.NoCapacityForTopic(parts.Logger, source, parts.Shares.Topics, parts.Shares.Bytes);
        }

        return CoapResults.ServiceUnavailable(s_whenFull);
    }
}
