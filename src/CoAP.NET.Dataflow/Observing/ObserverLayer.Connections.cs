using CoAP.NET.Channels;

namespace CoAP.NET.Observing;

// Notifications on connections: RFC 8323 section 7. Whatever is given to the connection arrives, in order, so there is nothing to pace, to repeat or to confirm. What a connection has
// no room for waits, not as a message but as the wish to have the newest state when there is room again.
internal sealed partial class ObserverLayer
{
    private static readonly CoapMessage s_letGo = new(CoapCode.Content);

    /// <summary>The message of a transmission at the moment it is sent on a connection. Under the lock.</summary>
    private CoapMessage? TakeOnConnection(Observer observer, CoapTransmission transmission, long now)
    {
        PreparedNotification? latest = observer.Subject.Latest;
        bool isNewer = latest is not null && latest.Number > observer.SentRun && (latest.Change > observer.Seen || observer.NeedsRefresh);
        if (transmission == observer.Answer && (!isNewer || !observer.Subject.Key.Fits(observer.Channel)))
        {
            return transmission.Message;
        }

        bool fits = observer.Subject.Key.Fits(observer.Channel);
        if (latest is null || !fits || (ReferenceEquals(transmission.Message, s_letGo) && IsStale(observer)))
        {
            // Made for messages of another size than the peer takes by now; or of before a change that nobody has looked at, as all observers waited: now one is ready for it.
            observer.NeedsRefresh |= !fits;
            OnFree(observer, now);
            return null;
        }

        if (isNewer)
        {
            if (!TryKeepFormat(observer, latest))
            {
                return null;
            }

            _counters.Add(CoapCounter.NotificationsSuperseded);
            NoteSent(observer, latest, now);
        }

        return latest.For(observer.Token, CoapMessageType.Confirmable);
    }

    /// <summary>A notification waits for room: what it would have told is let go, as the newest state is taken then. So what waits for a peer that takes nothing has no size.</summary>
    private void LetGo(CoapTransmission transmission)
    {
        _shard.Enter();
        try
        {
            if (!transmission.IsOver && transmission.Source is Observer observer && observer.Confirmable == transmission)
            {
                transmission.Message = s_letGo;
            }
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>An observer whose peer has changed what it takes (RFC 8323 section 5.3) gets notifications of that size from here. Under the lock.</summary>
    private void Rekey(Observer observer, long now)
    {
        Subject before = observer.Subject;
        if (before.Key.Fits(observer.Channel))
        {
            return;
        }

        Leave(observer, before);
        SubjectKey key = before.Key.For(observer.Channel);
        if (!_subjects.TryGetValue(key, out Subject? subject))
        {
            subject = AddSubject(key, new ObservableResource(before.Route, before.Path, before.Settings, before.Route.Changes), before.Special, now);
        }

        observer.Subject = subject;
        subject.Add(observer);
        subject.SetStalled(observer, observer.IsOutstanding);
        CountBusy(observer);
        observer.Seen = subject.Change;
        observer.SentRun = subject.Started;
        observer.NeedsRefresh = true;
        observer.Ask = 0;
    }

    // The sizes of a run are those of the peer of the first.
    private void RekeyFirst(Subject subject, long now)
    {
        while (!subject.IsGone && subject.Observers[0] is var first && !subject.Key.Fits(first.Channel))
        {
            Rekey(first, now);
            if (!first.IsOutstanding)
            {
                Wait(first, now);
            }
        }
    }
}
