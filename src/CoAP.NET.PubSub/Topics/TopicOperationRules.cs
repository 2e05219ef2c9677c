namespace CoAP.NET.PubSub.Topics;

/// <summary>
/// Decides each operation on a topic: its life cycle, its immutable properties, and its end. The decision depends only on the request and
/// the entry, not on the node.
/// </summary>
internal static class TopicOperationRules
{
    private const string Other = "The state has changed and no longer meets the condition. Read it again.";
    private const string NotThere = "This topic does not exist. It may have been deleted or may have expired.";

    public static CoapTableDecision Decide(CoapTableDecisionContext context)
    {
        if (TopicOwnerRequest.Read(context.Bytes) is not { } request)
        {
            return CoapTableDecision.Keep();
        }

        TopicState? current = context.Current is { } value ? TopicState.Read(value) : null;
        if (request is { Operation: TopicOwnerOperation.Create, Topic: { } topic })
        {
            return Create(topic, current, context);
        }

        // A topic created again under the name is another one; its owner may not have granted the client this operation.
        return current is null || current.Creation != request.Creation ? Refuse(CoapCode.NotFound, NotThere) : request.Operation switch
        {
            TopicOwnerOperation.Replace or TopicOwnerOperation.Change => Change(request, current, context),
            TopicOwnerOperation.Delete when IsOther(request, current.PropertyTag) => Refuse(CoapCode.PreconditionFailed, Other),
            TopicOwnerOperation.Delete or TopicOwnerOperation.Evict =>
                CoapTableDecision.Remove(new TopicOwnerResponse(CoapCode.Deleted).Write()),
            TopicOwnerOperation.Publish => Publish(request, current, context),
            TopicOwnerOperation.DeleteData => DeleteData(request, current, context),
            _ => CoapTableDecision.Keep(),
        };
    }

    private static CoapTableDecision Create(TopicState topic, TopicState? current, CoapTableDecisionContext context) =>
        current is null ? Put(topic, null, context, new TopicOwnerResponse(CoapCode.Created), isDurable: true)
            : current.Creation == topic.Creation ? CoapTableDecision.Keep(new TopicOwnerResponse(CoapCode.Created).Write())
            : Refuse(CoapCode.BadRequest, "The collection already has a topic of this name. Choose another topic-name.");

    private static CoapTableDecision Change(TopicOwnerRequest request, TopicState current, CoapTableDecisionContext context)
    {
        CoapTopicProperties given = request.Properties!;
        CoapTopicProperties old = current.Properties;
        ulong? changed = given.Name is { } name && name != old.Name ? PubSubDraft.TopicName
            : given.ResourceType is { } type && type != old.ResourceType ? PubSubDraft.ResourceType : null;
        if (changed is { } key)
        {
            return Refuse(CoapCode.BadRequest, $"{PubSubDraft.Names[key]} never changes. Leave it out, or create another topic.");
        }

        if (current.PropertyMarks.Has(request.Stamp))
        {
            return CoapTableDecision.Keep(new TopicOwnerResponse(CoapCode.Changed, TopicPropertiesSerializer.Write(old)).Write());
        }

        if (IsOther(request, current.PropertyTag))
        {
            return Refuse(CoapCode.PreconditionFailed, Other);
        }

        bool keeps = request.Operation == TopicOwnerOperation.Change;
        CoapTopicProperties properties = old with
        {
            ContentFormat = given.ContentFormat ?? (keeps ? old.ContentFormat : null),
            TopicType = given.TopicType ?? (keeps ? old.TopicType : null),
            Expiration = given.Expiration ?? (keeps ? old.Expiration : null),
            MaxSubscribers = given.MaxSubscribers ?? (keeps ? old.MaxSubscribers : null),
            ObserverCheck = given.ObserverCheck ?? (keeps ? old.ObserverCheck : null),
        };
        return Put(current with { Properties = properties, PropertyMarks = current.PropertyMarks.With(request.Stamp) }, current, context,
            new TopicOwnerResponse(CoapCode.Changed, TopicPropertiesSerializer.Write(properties)), isDurable: true);
    }

    // Latest data are not worth a round trip to a store because the next publication replaces them. The first publication must persist: it
    // defines the state.
    private static CoapTableDecision Publish(TopicOwnerRequest request, TopicState current, CoapTableDecisionContext context)
    {
        if (current.DataMarks.HasReached(request.Stamp))
        {
            // The request was applied, or a later one of the same broker was. In the latter case this one was not answered before the
            // later one was sent.
            bool isFirst = current.IsFirstPublication && current.DataMarks.Newest == request.Stamp;
            return CoapTableDecision.Keep(new TopicOwnerResponse(isFirst ? CoapCode.Created : CoapCode.Changed).Write());
        }

        if (current.Properties.ContentFormat is { } wanted && request.Format is { } given && given != wanted)
        {
            return Refuse(CoapCode.UnsupportedContentFormat, $"The data of this topic are in Content-Format {wanted.Value}.");
        }

        return IsOther(request, current.DataTag)
            ? Refuse(CoapCode.PreconditionFailed, Other)
            : Put(current.WithData(request.Data, request.Format ?? current.Properties.ContentFormat, request.Stamp), current, context,
                new TopicOwnerResponse(current.HasData ? CoapCode.Changed : CoapCode.Created), isDurable: request.IsDurable
                    || !current.HasData);
    }

    private static CoapTableDecision DeleteData(TopicOwnerRequest request, TopicState current, CoapTableDecisionContext context) =>
        current.DataMarks.HasReached(request.Stamp) ? CoapTableDecision.Keep(new TopicOwnerResponse(CoapCode.Deleted).Write())
            : IsOther(request, current.DataTag) ? Refuse(CoapCode.PreconditionFailed, Other)
            : current.HasData
                ? Put(current.WithoutData(request.Stamp), current, context, new TopicOwnerResponse(CoapCode.Deleted), isDurable: true)
            : Refuse(CoapCode.NotFound, "The topic has no data: nothing was published yet, or the data were deleted.");

    private static bool IsOther(TopicOwnerRequest request, ulong tag) => request.Expected is { } expected && expected != tag;

    private static CoapTableDecision Put(
        TopicState next, TopicState? current, CoapTableDecisionContext context, TopicOwnerResponse reply, bool isDurable)
    {
        TimeSpan lifetime = Timeout.InfiniteTimeSpan;
        if (next.Properties.Expiration is { } expiration)
        {
            lifetime = expiration - context.Time;
            if (lifetime <= TimeSpan.Zero)
            {
                return current is not null && expiration == current.Properties.Expiration
                    ? Refuse(CoapCode.NotFound, NotThere)
                    : Refuse(CoapCode.BadRequest, "expiration-date is in the past. To end the topic now, delete it.");
            }
        }

        byte[] value = next.Write();
        return value.Length > CoapReplicatedTable.MaxValueLength
            ? Refuse(
                CoapCode.RequestEntityTooLarge, $"A topic with its data is larger than the maximum of {CoapReplicatedTable.MaxValueLength} "
                + "bytes.")
            : CoapTableDecision.Put(value, lifetime, reply.Write(), isDurable);
    }

    private static CoapTableDecision Refuse(CoapCode code, string reason) =>
        CoapTableDecision.Keep(TopicOwnerResponse.Refuse(code, reason).Write());
}
