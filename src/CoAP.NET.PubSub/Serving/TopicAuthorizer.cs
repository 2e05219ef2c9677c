using CoAP.NET.PubSub.Telemetry;
using CoAP.NET.PubSub.Topics;

namespace CoAP.NET.PubSub.Serving;

/// <summary>Decides which operations on topics a client may perform; counts and logs refusals.</summary>
internal sealed class TopicAuthorizer(BrokerContext parts)
{
    /// <summary>
    /// The identity of the client of a request, as a text that is stable across restarts and nodes; null for an unknown client.
    /// </summary>
    public static string? OwnerOf(CoapRequestContext request) => request.Peer.Id?.ToString();

    /// <summary>Whether a client may perform an operation on a topic. Refusals are counted and logged.</summary>
    public bool Authorize(CoapRequestContext request, CoapPubSubOperation operation, Topic topic)
    {
        if (IsAllowed(request, operation, topic))
        {
            return true;
        }

        Refused(request, operation, topic.Path);
        return false;
    }

    /// <summary>Like <see cref="Authorize"/>, without counting and logging; for lists.</summary>
    public bool IsAllowed(CoapRequestContext request, CoapPubSubOperation operation, Topic topic)
    {
        TopicState state = topic.State;
        bool isOwner = state.Owner is not null && OwnerOf(request) == state.Owner;
        return parts.Options.Authorize is { } authorize
            ? authorize(request, operation, new CoapPubSubTopicInfo(topic.Path, topic.Describe(state.Properties), state.Owner, isOwner))
            : state.Owner is null || isOwner || operation is not (CoapPubSubOperation.ChangeTopic or CoapPubSubOperation.DeleteTopic
                or CoapPubSubOperation.DeleteData);
    }

    /// <summary>Whether a client may create a topic.</summary>
    public bool AuthorizeCreation(CoapRequestContext request, string path, CoapTopicProperties properties)
    {
        string? owner = OwnerOf(request);
        if (parts.Options.Authorize is not { } authorize
            || authorize(request, CoapPubSubOperation.Create, new CoapPubSubTopicInfo(path, properties, owner, owner is not null)))
        {
            return true;
        }

        Refused(request, CoapPubSubOperation.Create, path);
        return false;
    }

    private void Refused(CoapRequestContext request, CoapPubSubOperation operation, string path)
    {
        parts.Counts.Add(PubSubCounterKind.Forbidden);
        PubSubLog.OperationDenied(parts.Logger, request.Peer.ToString()!, operation, path);
    }
}
