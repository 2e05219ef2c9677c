using CoAP.NET.Cluster;
using CoAP.NET.PubSub.Telemetry;
using CoAP.NET.PubSub.Topics;

namespace CoAP.NET.PubSub.Serving;

/// <summary>Asks whoever decides about a topic.</summary>
internal sealed class TopicOwner(BrokerParts parts)
{
    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(30);

    // How long an answer waits until this node knows of what it says, as its client may go on here at once. News come with the reply.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(2);

    /// <summary>The key of the topic of a name, which is the same on all nodes. Short, as its text is part of paths.</summary>
    public CoapTableKey KeyOf(string collection, string name) =>
        new(parts.Table.KeyOf(System.Text.Encoding.UTF8.GetBytes($"{collection}\n{name}")).Bytes[..6]);

    /// <summary>What is asked about a topic that is there.</summary>
    /// <param name="operation">What is asked.</param>
    /// <param name="state">The topic as this node knows it.</param>
    public TopicQuestion Question(TopicOperation operation, TopicState state) =>
        new() { Operation = operation, Stamp = parts.Stamps.Next(), Creation = state.Creation };

    /// <summary>
    /// Whether a client makes one certain state the condition of a change. This node has looked whether it is there; the owner looks again.
    /// </summary>
    public static bool IsConditional(CoapRequest request) =>
        request.Options.IfNoneMatch || request.Options.IfMatch.Any(static tag => !tag.IsEmpty);

    /// <summary>Asks.</summary>
    /// <returns>The reply, and the response where there was none or it is a refusal.</returns>
    public async ValueTask<(TopicReply Reply, CoapResult? Refusal)> AskAsync(
        CoapTableKey key, TopicQuestion question, CancellationToken cancellationToken)
    {
        string id = key.ToString();
        try
        {
            TopicReply reply = TopicReply.Read(await Begin(key, question, cancellationToken).ConfigureAwait(false));
            if (!reply.Code.IsSuccess)
            {
                parts.Counts.Add(PubSubCount.Invalid);
                return (reply, CoapResults.Status(reply.Code, reply.Reason));
            }

            await parts.Index.HearAsync(id, question, s_patience, parts.Options.TimeProvider).ConfigureAwait(false);
            return (reply, null);
        }
        catch (Exception exception) when (exception is CoapException or ObjectDisposedException)
        {
            parts.Counts.Add(PubSubCount.Unavailable);
            PubSubLog.TableUnavailable(parts.Logger, exception, id);
            TimeSpan wait = exception is CoapTableUnavailableException unavailable ? unavailable.RetryAfter : s_retryAfter;
            return (default, CoapResults.ServiceUnavailable(wait));
        }
    }

    private ValueTask<ReadOnlyMemory<byte>> Begin(CoapTableKey key, TopicQuestion question, CancellationToken cancellationToken)
    {
        BrokerReactions.BeginAsking();
        try
        {
            return parts.Table.AskAsync(key, question.Write(), cancellationToken);
        }
        finally
        {
            parts.Reactions.EndAsking();
        }
    }
}
