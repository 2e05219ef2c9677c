using CoAP.NET.Options;

namespace CoAP.NET.Observing;

/// <summary>
/// What came last of an observed resource: its place in the order of notifications (RFC 7641 section 3.4), and what a 2.03 may name
/// (section 3.3.2). Not thread-safe.
/// </summary>
internal sealed class ObservedRepresentation
{
    private uint _number;
    private bool _heardSinceSent;

    /// <summary>Whether a notification came since the registration was last lost.</summary>
    public bool HasNumber { get; private set; }

    /// <summary>When the newest notification came, in units of 100 ns.</summary>
    public long HeardAt { get; private set; }

    /// <summary>How long the newest notification is current.</summary>
    public TimeSpan MaxAge { get; set; }

    /// <summary>The newest response with its whole body, which the next registration names by its ETag; null for none.</summary>
    public CoapResponse? Stored { get; set; }

    /// <summary>What came last in a process before.</summary>
    /// <returns>When it came, in units of 100 ns.</returns>
    public long Adopt(CoapHeardNotification heard, DateTimeOffset wallClock, long now)
    {
        // A clock that was set back must not make it come later than now.
        Note(heard.Number, heard.MaxAge, now - Math.Max(0, (wallClock - heard.At).Ticks));
        return HeardAt;
    }

    /// <summary>The newest notification, for another process; null when none came since the registration was last lost.</summary>
    public CoapHeardNotification? Heard(DateTimeOffset wallClock, long now) =>
        HasNumber ? new CoapHeardNotification(_number, wallClock - TimeSpan.FromTicks(now - HeardAt), MaxAge) : null;

    /// <summary>A registration leaves.</summary>
    public void OnSent() => _heardSinceSent = false;

    /// <summary>Whether a notification is newer than all before.</summary>
    /// <param name="number">Its number.</param>
    /// <param name="isAnswer">Whether it came with the acknowledgement of the registration.</param>
    /// <param name="isOrdered">Whether it came over a connection, in order.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    // What rides on the acknowledgement of a registration was made after the registration was sent, so after all that had come before: a
    // server that restarted and counts from the beginning is
    // understood at once.
    public bool IsNewer(uint number, bool isAnswer, bool isOrdered, long now) =>
        !HasNumber || isOrdered || (isAnswer && !_heardSinceSent) || NotificationOrder.IsNewer(_number, HeardAt, number, now);

    /// <summary>A notification that is newer than all before came.</summary>
    public void Note(uint number, TimeSpan maxAge, long now)
    {
        HasNumber = true;
        _number = number;
        HeardAt = now;
        _heardSinceSent = true;
        MaxAge = maxAge;
    }

    /// <summary>The registration was lost: the next notification is new, whatever its number.</summary>
    public void ForgetNumber() => HasNumber = false;

    /// <summary>What a 2.03 means; null when it names nothing that is there.</summary>
    // What we named by its ETag is current again. Its payload is the stored one, its freshness the new one (RFC 7252 section 5.9.1.3).
    public CoapResponse? Revalidate(CoapResponse response)
    {
        if (Stored is null || !HaveSameTag(response, Stored))
        {
            return null;
        }

        CoapMessage message = new(Stored.Code)
        {
            Payload = Stored.Payload,
            Type = response.Message.Type,
            MessageId = response.Message.MessageId,
            Token = response.Message.Token,
        };
        message.Options.AddAll(Stored.Options);
        CoapOptionCollection updated = response.Options;
        message.Options.Remove(OptionNumber.MaxAge);
        for (int i = 0; i < updated.Count; i++)
        {
            message.Options.Remove(updated.NumberAt(i));
        }

        message.Options.AddAll(updated);
        return response.With(message);
    }

    private static bool HaveSameTag(CoapResponse one, CoapResponse other) =>
        one.Options.ETag is { } tag && other.Options.ETag is { } otherTag && tag.Span.SequenceEqual(otherTag.Span);
}
