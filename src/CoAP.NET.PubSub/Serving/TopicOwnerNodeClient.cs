using CoAP.NET.PubSub.Telemetry;
using CoAP.NET.PubSub.Topics;

namespace CoAP.NET.PubSub.Serving;

/// <summary>Sends requests about a topic to the node that owns it.</summary>
internal sealed class TopicOwnerNodeClient(BrokerContext parts)
{
    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(30);

    // The maximum time that a response waits until this node knows the change, because the client may continue here at once. The change
    // arrives at about the same time as the reply.
    private static readonly TimeSpan s_maxWaitForUpdate = TimeSpan.FromSeconds(2);

    /// <summary>Makes the key of a topic name, which is the same on all nodes. Short, because its text is part of paths.</summary>
    /// <returns>False, with the response for the client, if this node does not know yet how keys are made.</returns>
    public bool TryMakeKey(string collection, string name, out CoapTableKey key, [NotNullWhen(false)] out CoapResult? unavailable)
    {
        try
        {
            key = new(parts.Table.KeyOf(System.Text.Encoding.UTF8.GetBytes($"{collection}\n{name}")).Bytes[..6]);
            unavailable = null;
            return true;
        }
        catch (CoapTableUnavailableException exception)
        {
            (key, unavailable) = (default, UnavailableFor(name, exception));
            return false;
        }
    }

    /// <summary>Creates a request about an existing topic.</summary>
    public TopicOwnerRequest MakeRequest(TopicOwnerOperation operation, TopicState state) =>
        new() { Operation = operation, Stamp = parts.Stamps.Next(), Creation = state.Creation };

    /// <summary>
    /// Whether the client makes the change conditional on one certain state. This node has checked for its existence; the owner checks
    /// again.
    /// </summary>
    public static bool IsConditional(CoapRequestContext request) =>
        request.Options.IfNoneMatch || request.Options.IfMatch.Any(static tag => tag.Length > 0);

    /// <summary>Sends a request to the owner.</summary>
    /// <returns>The reply, and the response if there was no reply or it is a refusal.</returns>
    public async ValueTask<(TopicOwnerResponse Reply, CoapResult? Refusal)> SendAsync(
        CoapTableKey key, TopicOwnerRequest request, CancellationToken cancellationToken)
    {
        string id = key.ToString();
        try
        {
            TopicOwnerResponse reply = TopicOwnerResponse.Read(await Begin(key, request, cancellationToken).ConfigureAwait(false));
            if (!reply.Code.IsSuccess)
            {
                parts.Counts.Add(PubSubCounterKind.Invalid);
                return (reply, CoapResults.Status(reply.Code, reply.Reason));
            }

            await parts.Index.WaitForUpdateAsync(id, request, s_maxWaitForUpdate, parts.Options.TimeProvider).ConfigureAwait(false);
            return (reply, null);
        }
        catch (Exception exception) when (exception is CoapException or ObjectDisposedException)
        {
            return (default, UnavailableFor(id, exception));
        }
    }

    private CoapResult UnavailableFor(string id, Exception exception)
    {
        parts.Counts.Add(PubSubCounterKind.Unavailable);
        PubSubLog.TableUnavailable(parts.Logger, exception, id);
        return CoapResults.ServiceUnavailable((exception as CoapTableUnavailableException)?.RetryAfter ?? s_retryAfter);
    }

    private ValueTask<ReadOnlyMemory<byte>> Begin(CoapTableKey key, TopicOwnerRequest request, CancellationToken cancellationToken)
    {
        TopicChangeReactions.BeginAsking();
        try
        {
            return parts.Table.RequestAsync(key, request.Write(), cancellationToken);
        }
        finally
        {
            parts.Reactions.EndAsking();
        }
    }
}
