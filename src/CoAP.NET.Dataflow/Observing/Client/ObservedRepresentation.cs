namespace CoAP.NET.Observing.Client;

/// <summary>
/// The last representation of an observed resource: its place in the order of notifications (RFC 7641 section 3.4), and the response that a
/// 2.03 may refer to (section 3.3.2). Not thread-safe.
/// </summary>
internal sealed class ObservedRepresentation
{
    private uint _number;
    private bool _heardSinceSent;

    /// <summary>Whether a notification arrived since the registration was last lost.</summary>
    public bool HasNumber { get; private set; }

    /// <summary>The time of the newest notification, in units of 100 ns.</summary>
    public long HeardAt { get; private set; }

    /// <summary>How long the newest notification is fresh.</summary>
    public TimeSpan MaxAge { get; set; }

    /// <summary>The newest response with its whole body, whose ETag is in the next registration; null for none.</summary>
    public CoapResponse? Stored { get; set; }

    /// <summary>Sets the last notification of an earlier process.</summary>
    /// <returns>The time of its arrival, in units of 100 ns.</returns>
    public long Resume(CoapNotificationPosition heard, DateTimeOffset wallClock, long now)
    {
        // The time must not be in the future, even if the clock was set back.
        Note(heard.Number, heard.MaxAge, now - Math.Max(0, (wallClock - heard.At).Ticks));
        return HeardAt;
    }

    /// <summary>Returns the newest notification, for another process; null if none arrived since the registration was last lost.</summary>
    public CoapNotificationPosition? Heard(DateTimeOffset wallClock, long now) =>
        HasNumber ? new CoapNotificationPosition(_number, wallClock - TimeSpan.FromTicks(now - HeardAt), MaxAge) : null;

    public void OnSent() => _heardSinceSent = false;

    /// <summary>Returns whether a notification is newer than all earlier ones.</summary>
    /// <param name="number">Its number.</param>
    /// <param name="isAnswer">Whether it arrived with the acknowledgement of the registration.</param>
    /// <param name="isOrdered">Whether it arrived over a connection, in order.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    // A piggybacked response to a registration was created after the registration was sent, and so after all earlier notifications: a
    // server that restarted and counts from the beginning is accepted at once.
    public bool IsNewer(uint number, bool isAnswer, bool isOrdered, long now) =>
        !HasNumber || isOrdered || (isAnswer && !_heardSinceSent) || NotificationOrder.IsNewer(_number, HeardAt, number, now);

    /// <summary>Records a notification that is newer than all earlier ones.</summary>
    public void Note(uint number, TimeSpan maxAge, long now)
    {
        HasNumber = true;
        _number = number;
        HeardAt = now;
        _heardSinceSent = true;
        MaxAge = maxAge;
    }

    /// <summary>Forgets the number after a lost registration: the next notification is new, whatever its number.</summary>
    public void ForgetNumber() => HasNumber = false;

    /// <summary>Returns the response that a 2.03 means; null if it refers to nothing.</summary>
    // The response with our ETag is current again. Its payload is the stored one, its freshness the new one (RFC 7252 section 5.9.1.3).
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
        one.Options.ETag is { } tag && other.Options.ETag is { } otherTag && tag == otherTag;
}
