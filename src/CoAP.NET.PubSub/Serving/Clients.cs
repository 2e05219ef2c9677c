using System.Security.Cryptography;
using CoAP.NET.PubSub.Telemetry;
using CoAP.NET.PubSub.Topics;
using CoAP.NET.Transports;

namespace CoAP.NET.PubSub.Serving;

/// <summary>Who asks, and whether he may.</summary>
internal sealed class Clients(BrokerParts parts)
{
    /// <summary>
    /// Who the client of a request is, in words that are the same after a restart and on every node; null when nobody knows.
    /// </summary>
    public static string? OwnerOf(CoapRequest request)
    {
        object? identity = request.Peer.IsKnown ? request.Peer.Source.Identity ?? request.Peer.Identity : null;
        if (identity is CoapTlsIdentity { Certificate: { } certificate })
        {
            return $"certificate {certificate.GetCertHashString(HashAlgorithmName.SHA256)}";
        }

        // What says nothing about itself would be the same for all.
        string? text = identity?.ToString();
        return text is null || text == identity!.GetType().ToString() ? null : $"{identity.GetType().Name} {text}";
    }

    /// <summary>Whether a client may do something with a topic. What it may not is counted and logged.</summary>
    public bool MayDo(CoapRequest request, CoapPubSubOperation operation, Topic topic)
    {
        if (IsAllowed(request, operation, topic))
        {
            return true;
        }

        Refused(request, operation, topic.Path);
        return false;
    }

    /// <summary>The same without a word, for lists.</summary>
    public bool IsAllowed(CoapRequest request, CoapPubSubOperation operation, Topic topic)
    {
        TopicState state = topic.State;
        bool isOwner = state.Owner is not null && OwnerOf(request) == state.Owner;
        return parts.Options.Authorize is { } authorize
            ? authorize(request, operation, new CoapPubSubTopicInfo(topic.Path, topic.Describe(state.Properties), state.Owner, isOwner))
            : state.Owner is null || isOwner || operation is not (CoapPubSubOperation.ChangeTopic or CoapPubSubOperation.DeleteTopic
                or CoapPubSubOperation.DeleteData);
    }

    /// <summary>Whether a client may create a topic.</summary>
    public bool MayCreate(CoapRequest request, string path, CoapTopicProperties properties)
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

    private void Refused(CoapRequest request, CoapPubSubOperation operation, string path)
    {
        parts.Counts.Add(PubSubCount.Forbidden);
        PubSubLog.OperationDenied(parts.Logger, request.Peer.ToString()!, operation, path);
    }
}
