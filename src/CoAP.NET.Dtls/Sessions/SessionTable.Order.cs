namespace CoAP.NET.Dtls.Sessions;

/// <content>
/// Orders sessions by their last record: a list linked through the sessions themselves, which finds the one idle longest in constant time.
/// </content>
internal sealed partial class SessionTable
{
    private const int Slack = 512;

    // Updates times once per second at most, so that a busy session does not take the lock for each record.
    private readonly long _precision = time.TimestampFrequency;

    // Sessions that hold a last flight, oldest first.
    private readonly Queue<DtlsSession> _young = new();
    private readonly SessionOrder _order = new();

    /// <summary>Updates the order after a record of a session.</summary>
    /// <param name="session">The session.</param>
    public void Touch(DtlsSession session)
    {
        if (session.LastReceived - session.Touched < _precision && !session.IsHidden)
        {
            return;
        }

        lock (_gate)
        {
            if (!session.IsListed)
            {
                return;
            }

            _order.Remove(session);
            Link(session);
            if (session.IsHidden && !session.IsClosed)
            {
                _places.Set(_byPath.HashOf(session.Path), session);
            }
        }
    }

    /// <summary>Removes and returns a session that was silent for too long.</summary>
    /// <param name="timeout">The maximum silence.</param>
    /// <returns>The session, which the caller ends; null for none.</returns>
    public DtlsSession? TakeIdle(TimeSpan timeout)
    {
        lock (_gate)
        {
            if (_order.Oldest is not { } oldest || oldest.Idle <= timeout)
            {
                return null;
            }

            Unlist(oldest);
            return oldest;
        }
    }

    /// <summary>Discards the last flights that no peer can ask for any more.</summary>
    public void DropLastFlights()
    {
        lock (_gate)
        {
            while (_young.TryPeek(out DtlsSession? session) && (session.IsClosed || session.TryDropLastFlight()))
            {
                _young.Dequeue();
            }

            if (_young.Count == 0)
            {
                _young.TrimExcess();
            }
        }
    }

    /// <summary>Returns the sessions, the one silent longest first.</summary>
    public DtlsSession[] ToArray()
    {
        lock (_gate)
        {
            return [.. _order];
        }
    }

    /// <summary>Returns the sessions with records since a time.</summary>
    /// <param name="since">The time, by the clock's timestamp.</param>
    public List<DtlsSession> HeardSince(long since)
    {
        List<DtlsSession> heard = [];
        lock (_gate)
        {
            // A record shortly after an update does not move the session.
            for (DtlsSession? session = _order.Newest; session is not null && session.Touched >= since - _precision;
                session = session.Neighbours.Previous)
            {
                if (session.LastReceived >= since)
                {
                    heard.Add(session);
                }
            }
        }

        return heard;
    }

    private void Append(DtlsSession session)
    {
        Link(session);
        if (!session.HasLastFlight)
        {
            return;
        }

        _young.Enqueue(session);
        if (_young.Count > 2 * (_count + Slack))
        {
            // Drops those that ended early instead of keeping them for minutes; seldom enough to cost each session little.
            DtlsSession[] living = [.. _young.Where(static young => !young.IsClosed)];
            _young.Clear();
            Array.ForEach(living, _young.Enqueue);
        }
    }

    private void Link(DtlsSession session)
    {
        // A session that another server last received from arrives late; those after it still have later records.
        session.Touched = Math.Max(session.LastReceived, _order.Newest?.Touched ?? long.MinValue);
        _order.Append(session);
    }
}
