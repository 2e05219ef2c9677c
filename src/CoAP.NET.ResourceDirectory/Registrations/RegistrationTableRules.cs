using CoAP.NET.ResourceDirectory.Index;

namespace CoAP.NET.ResourceDirectory.Registrations;

/// <summary>Decides about registrations, and updates the index with the results (RFC 9176 section 5).</summary>
internal sealed class RegistrationTableRules(DirectoryIndex index, ReadYourWritesDelay awaited) : ICoapReplicatedTableRules
{
    private static readonly ReadOnlyMemory<byte>[] s_answers =
        [.. Enum.GetValues<DirectoryDecision>().Select(static answer => new ReadOnlyMemory<byte>([(byte)answer]))];

    public CoapTableDecision Decide(CoapTableDecisionContext question)
    {
        DirectorySlotOwnerRequest asked = new(question.Bytes.Span);
        if (!asked.IsReadable)
        {
            return Keep(DirectoryDecision.Unreadable);
        }

        Registration? current = question.Current is { } bytes && new Registration(bytes) is { IsReadable: true } read ? read : null;
        bool isActive = current is { } one && question.Remaining > one.Grace;
        switch (asked.What)
        {
            case DirectorySlotOwnerRequest.Operation.Forget:
                return question.Current is null || isActive ? Keep(DirectoryDecision.Done) : Remove(question);
            case DirectorySlotOwnerRequest.Operation.Evict:
                return question.Current is null ? Keep(DirectoryDecision.Missing)
                    : current?.Owner.SourceHash != asked.Owner.SourceHash ? Keep(DirectoryDecision.NotOwner) : Remove(question);
            case DirectorySlotOwnerRequest.Operation.Register:
                // An expired name is free for any client.
                return isActive && !IsOwner(current!.Value, asked) ? Keep(DirectoryDecision.NotOwner) : Register(current, question, asked);
            case var what when current is null || what > DirectorySlotOwnerRequest.Operation.Remove:
                return Keep(current is null ? DirectoryDecision.Missing : DirectoryDecision.Unreadable);
            case var what:
                return !IsOwner(current.Value, asked) ? Keep(DirectoryDecision.NotOwner)
                    : !IsFresh(current.Value, question.Time, asked) ? Keep(DirectoryDecision.NotFresh)
                    : what == DirectorySlotOwnerRequest.Operation.Remove ? Remove(question)
                    : Update(current.Value, question, asked);
        }
    }

    public void OnChanged(CoapTableChange change)
    {
        ReadOnlySpan<byte> key = change.Key.Bytes;
        Registration? after = change.Value is { } value && new Registration(value) is { IsReadable: true } read ? read : null;
        if (after is { } one)
        {
            index.Set(key, one, change.Remaining - one.Grace);
        }
        else
        {
            index.Remove(key);
        }

        awaited.OnHeard(change.Key);
    }

    private static bool IsOwner(Registration current, DirectorySlotOwnerRequest asked) =>
        current.Owner.IsSame(asked.Owner)
        || ((asked.Right & DirectorySlotOwnerRequest.ClientRights.IsAnyone) != 0 && (current.Kind & Registration.Traits.IsUnsecured) != 0);

    private static bool IsFresh(Registration current, DateTimeOffset now, DirectorySlotOwnerRequest asked) =>
        (asked.Right & DirectorySlotOwnerRequest.ClientRights.MustBeFresh) == 0
        || (asked.Age is { } age && now.ToUnixTimeMilliseconds() - age >= current.ChangedAt);

    private static CoapTableDecision Register(Registration? current, in CoapTableDecisionContext question, DirectorySlotOwnerRequest asked)
    {
        Registration made = new(asked.Content.ToArray());
        return made.IsReadable ? Put(current, made, question.Time, asked.Owner) : Keep(DirectoryDecision.Unreadable);
    }

    private static CoapTableDecision Update(Registration current, in CoapTableDecisionContext question, DirectorySlotOwnerRequest asked)
    {
        RegistrationFields parts = RegistrationUpdate.Read(asked.Content).ApplyTo(current.ToParts());
        DirectoryOwner owner = current.Owner;
        return Put(current, Registration.Make(new RegistrationRefreshHeader(owner, 0), parts), question.Time, owner);
    }

    private static CoapTableDecision Put(Registration? current, Registration made, DateTimeOffset now, in DirectoryOwner owner)
    {
        made = made.With(new RegistrationRefreshHeader(owner, now.ToUnixTimeMilliseconds()));

        // A mere refresh may be lost in a crash: the registrant refreshes again, and the registration exists meanwhile.
        bool isNews = current is not { } one || !one.Found.SequenceEqual(made.Found);
        return CoapTableDecision.Put(
            made.Bytes, TimeSpan.FromSeconds(made.Lifetime) + made.Grace, ReadYourWritesDelay.Write(DirectoryDecision.Done, now), isNews);
    }

    private static CoapTableDecision Keep(DirectoryDecision answer) => CoapTableDecision.Keep(s_answers[(int)answer]);

    private static CoapTableDecision Remove(in CoapTableDecisionContext question) =>
        CoapTableDecision.Remove(ReadYourWritesDelay.Write(DirectoryDecision.Done, question.Time));
}
