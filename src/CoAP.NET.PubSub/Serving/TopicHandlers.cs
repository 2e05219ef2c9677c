using CoAP.NET.PubSub.Telemetry;
using CoAP.NET.PubSub.Topics;

namespace CoAP.NET.PubSub.Serving;

/// <summary>Requests to a collection and to its topics, which are configurations.</summary>
internal sealed class TopicHandlers(BrokerContext parts, TopicAuthorizer clients, TopicCollection collection, TopicEviction room)
{
    private readonly TopicOwnerNodeClient _owner = new(parts);

    /// <summary>POST to the collection.</summary>
    public async ValueTask<CoapResult> CreateAsync(CoapRequestContext request, CancellationToken cancellationToken)
    {
        // A topic outlives the request. Forged addresses therefore must not create any (RFC 9175 section 2.4).
        if (!request.Peer.IsVerified)
        {
            return CoapResults.FreshnessRequired();
        }

        if (!collection.TryReadProperties(request, out CoapTopicProperties given, out CoapResult? refusal))
        {
            return refusal;
        }

        if (FindFault(given) is { } fault)
        {
            return collection.Invalid(CoapCode.BadRequest, fault);
        }

        if (given.Initial?.Length > parts.Options.Limits.MaxDataLength)
        {
            parts.Counts.Add(PubSubCounterKind.Invalid);
            return CoapResults.RequestEntityTooLarge(parts.Options.Limits.MaxDataLength);
        }

        if (!_owner.TryMakeKey(collection.Path, given.Name!, out CoapTableKey key, out refusal))
        {
            return refusal;
        }

        string path = $"{collection.Path}/{key}";
        if (!clients.AuthorizeCreation(request, path, given))
        {
            return CoapResults.Forbidden("You may not create this topic.");
        }

        if (request.CheckPreconditions(exists: true) is { } failed)
        {
            return failed;
        }

        TopicRequestId stamp = parts.Stamps.Next();
        TopicState state = MakeState(request, given, stamp);
        long bytes = Topic.BytesOf(state);
        if (await room.TakeAsync(request, state.Source, 1, bytes, cancellationToken).ConfigureAwait(false) is { } full)
        {
            return full;
        }

        TopicOwnerResponse reply;
        try
        {
            TopicOwnerRequest ownerRequest = new() { Operation = TopicOwnerOperation.Create, Stamp = stamp, Topic = state };
            (reply, refusal) = await _owner.SendAsync(key, ownerRequest, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            // Topics in the table count by themselves.
            parts.Shares.Return(TopicQuota.HashOf(state.Source), 1, bytes);
        }

        if (refusal is not null)
        {
            return refusal;
        }

        parts.Counts.Add(PubSubCounterKind.Created);
        PubSubLog.TopicCreated(parts.Logger, request.Peer.ToString()!, path, given.Name!);
        CoapResult created =
            new(reply.Code, TopicPropertiesSerializer.Write(new Topic(key, state).Describe(state.Properties)), PubSubDraft.Format);
        return created.WithLocation(path);
    }

    /// <summary>GET of a topic.</summary>
    public CoapResult Read(CoapRequestContext request)
    {
        if (Find(request, CoapPubSubOperation.ReadTopic, out CoapResult? refusal) is not { } topic)
        {
            return refusal!;
        }

        byte[] map = MapOf(topic);
        return CoapResults.ValidOr(request, CoapETag.FromContent(map), () => CoapResults.Bytes(map, PubSubDraft.Format));
    }

    /// <summary>FETCH of a topic: returns some of its properties.</summary>
    public CoapResult ReadSome(CoapRequestContext request)
    {
        if (Find(request, CoapPubSubOperation.ReadTopic, out CoapResult? refusal) is not { } topic)
        {
            return refusal!;
        }

        return request.ContentFormat != PubSubDraft.KeysFormat
            ? collection.Invalid(CoapCode.UnsupportedContentFormat, "Send an array of keys in CBOR (Content-Format 60).")
            : TopicPropertiesSerializer.TryReadKeys(request.Payload, out uint keys)
                ? CoapResults.Bytes(TopicPropertiesSerializer.Write(topic.Describe(topic.State.Properties), keys), PubSubDraft.Format)
                : collection.Invalid(CoapCode.BadRequest, "Send an array of keys; each key is an unsigned integer.");
    }

    /// <summary>POST to a topic: properties that are not given return to their defaults.</summary>
    public ValueTask<CoapResult> ReplaceAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        ChangeAsync(request, TopicOwnerOperation.Replace, cancellationToken);

    /// <summary>iPATCH of a topic: changes only the given properties.</summary>
    public ValueTask<CoapResult> ChangeAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        ChangeAsync(request, TopicOwnerOperation.Change, cancellationToken);

    /// <summary>DELETE of a topic.</summary>
    public async ValueTask<CoapResult> DeleteAsync(CoapRequestContext request, CancellationToken cancellationToken)
    {
        if (Find(request, CoapPubSubOperation.DeleteTopic, out CoapResult? refusal) is not { } topic)
        {
            return refusal!;
        }

        TopicState state = topic.State;
        if (request.CheckPreconditions(CoapETag.FromContent(MapOf(topic))) is { } failed)
        {
            return failed;
        }

        TopicOwnerRequest ownerRequest = _owner.MakeRequest(TopicOwnerOperation.Delete, state) with
        {
            Expected = TopicOwnerNodeClient.IsConditional(request) ? state.PropertyTag : null,
        };
        (_, refusal) = await _owner.SendAsync(topic.Key, ownerRequest, cancellationToken).ConfigureAwait(false);
        return refusal ?? CoapResults.Deleted();
    }

    private async ValueTask<CoapResult> ChangeAsync(CoapRequestContext request, TopicOwnerOperation operation,
        CancellationToken cancellationToken)
    {
        if (Find(request, CoapPubSubOperation.ChangeTopic, out CoapResult? refusal) is not { } topic
            || !collection.TryReadProperties(request, out CoapTopicProperties given, out refusal))
        {
            return refusal!;
        }

        if (given.Initial is not null)
        {
            return collection.Invalid(CoapCode.BadRequest, "initialize is only allowed when a topic is created. Publish to its data "
                + "instead.");
        }

        if (given.DataUri is { } data && data.TrimStart('/') != topic.DataPath.TrimStart('/'))
        {
            return collection.Invalid(CoapCode.BadRequest, "topic-data never changes. Leave it out, or create another topic.");
        }

        TopicState state = topic.State;
        if (request.CheckPreconditions(CoapETag.FromContent(MapOf(topic))) is { } failed)
        {
            return failed;
        }

        TopicOwnerRequest ownerRequest = _owner.MakeRequest(operation, state) with
        {
            Properties = Limit(given with { DataUri = null }, operation),
            Expected = TopicOwnerNodeClient.IsConditional(request) ? state.PropertyTag : null,
        };
        (TopicOwnerResponse reply, refusal) = await _owner.SendAsync(topic.Key, ownerRequest, cancellationToken).ConfigureAwait(false);
        if (refusal is not null)
        {
            return refusal;
        }

        parts.Counts.Add(PubSubCounterKind.Changed);
        TopicPropertiesSerializer.TryRead(reply.Rest, isStrict: false, out CoapTopicProperties properties, out _);
        return new CoapResult(reply.Code, TopicPropertiesSerializer.Write(topic.Describe(properties)), PubSubDraft.Format);
    }

    private Topic? Find(CoapRequestContext request, CoapPubSubOperation operation, out CoapResult? refusal)
    {
        refusal = null;
        if (collection.Find(request) is not { } topic)
        {
            refusal = CoapResults.NotFound();
            return null;
        }

        if (!clients.Authorize(request, operation, topic))
        {
            refusal = CoapResults.Forbidden("You may not perform this operation on this topic.");
            return null;
        }

        return topic;
    }

    private static byte[] MapOf(Topic topic) => TopicPropertiesSerializer.Write(topic.Describe(topic.State.Properties));

    private TopicState MakeState(CoapRequestContext request, CoapTopicProperties given, TopicRequestId stamp)
    {
        TopicState state = new()
        {
            Collection = collection.Path,
            Owner = TopicAuthorizer.OwnerOf(request),
            Source = request.Peer.Source.ToString(),
            Creation = parts.Options.Random.NextUInt64(),
            Properties = Limit(given, TopicOwnerOperation.Create) with { DataUri = null, Initial = null },
        };
        return given.Initial is { } initial ? state.WithData(initial, given.ContentFormat, stamp) : state;
    }

    // Limits the lifetime of a topic to the maximum of the broker.
    private CoapTopicProperties Limit(CoapTopicProperties given, TopicOwnerOperation operation)
    {
        if (parts.Options.Limits.MaxLifetime is not { } longest || (given.Expiration is null && operation == TopicOwnerOperation.Change))
        {
            return given;
        }

        DateTimeOffset last = DateTimeOffset.FromUnixTimeSeconds((parts.Options.TimeProvider.GetUtcNow() + longest).ToUnixTimeSeconds());
        return given.Expiration is { } expiration && expiration <= last ? given : given with { Expiration = last };
    }

    private static string? FindFault(CoapTopicProperties given) =>
        given.Name is null || given.ResourceType is null ? "A topic needs topic-name (0) and resource-type (2)."
        : given.DataUri is not null ? "This broker chooses topic-data. Leave key 1 out."
        : given.Initial is not null && given.ContentFormat is null ? "initialize (8) needs topic-content-format (3)."
        : null;
}
