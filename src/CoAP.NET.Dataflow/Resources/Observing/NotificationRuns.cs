using CoAP.NET.Exchanges;
using CoAP.NET.Options;

namespace CoAP.NET.Observing;

/// <summary>
/// Handles changes, and the runs of handlers that follow (RFC 7641 section 4.2): one for all observers of a subject. Called under the
/// shard's lock, like all of <see cref="ObserverLayer"/>.
/// </summary>
internal sealed class NotificationRuns(ObserverLayer layer)
{
    /// <summary>4.04.</summary>
    public static readonly CoapMessage Gone = new(CoapCode.NotFound);

    private static readonly CoapMessage s_otherFormat = new(CoapCode.NotAcceptable);

    // How long to wait for a run. After that, and only if there is something new, another one starts: a block that a user linked in may
    // have lost it.
    private static readonly long s_patience = TimeSpan.FromMinutes(5).Ticks;

    private readonly CoapShard _shard = layer.Shard;

    /// <summary>Marks observed subjects as possibly changed.</summary>
    /// <param name="subjects">The subjects; null for none.</param>
    /// <returns>The number of their observers.</returns>
    public int Mark(IReadOnlyCollection<Subject>? subjects)
    {
        int observers = 0;
        if (subjects is null)
        {
            return observers;
        }

        long now = _shard.Environment.Now;
        foreach (Subject subject in subjects)
        {
            subject.MarkChanged();
            observers += subject.Observers.Count;

            // A busy observer requests the state itself when it is ready for more: changes that reach no observer therefore cost no run.
            if (subject.HasIdle)
            {
                Want(subject, now);
            }
        }

        return observers;
    }

    /// <summary>Handles the removal of a route: its observers get 4.04 and are removed.</summary>
    public void OnGone(RouteChanges route)
    {
        foreach (Subject subject in layer.Table.Observed.Of(route)?.ToArray() ?? [])
        {
            EndAll(subject, Gone, CoapObserverEnd.Unmapped);
        }
    }

    /// <summary>Requests a run of the handler of a subject.</summary>
    public void Want(Subject subject, long now)
    {
        if (subject.TryQueueRun(now, s_patience))
        {
            layer.Jobs.Add(subject, now);
        }
    }

    /// <summary>Starts a queued run.</summary>
    /// <returns>The request to serve; null if there is nothing to run, or not yet.</returns>
    public CoapExchange? Begin(Subject subject, long now)
    {
        subject.Dequeue();
        RekeyFirst(subject, now);
        if (subject.IsGone)
        {
            return null;
        }

        if (subject.NextNumberAt(now) is var free && free > now)
        {
            _shard.Wheel.Schedule(subject, free);
            return null;
        }

        CoapChannel channel = subject.Observers[0].Channel;
        CoapMessage request = new(subject.Key.Code, subject.Key.Options!)
        {
            Payload = subject.Key.Payload,
            Token = new CoapToken(new byte[subject.TokenLength])
        };
        return new CoapExchange(channel, null, new CoapRequest(request) { Channel = channel, IsForObservers = true })
        {
            Special = subject.Special,
            Observing = subject.BeginRun(now, layer.Clock),
        };
    }

    /// <summary>
    /// Schedules another attempt of a run that this server refused for lack of room: that is not a response of the resource.
    /// </summary>
    public void Postpone(SubjectRun run)
    {
        if (!run.IsLate)
        {
            run.Subject.GiveUpRun();
            _shard.Wheel.Schedule(run.Subject,
                _shard.Environment.Now + (Math.Max(1, _shard.Environment.Limits.BusyMaxAge) * TimeSpan.TicksPerSecond));
        }
    }

    /// <summary>Handles the result of a run: its response goes to all observers of the subject, each as soon as its turn comes.</summary>
    /// <param name="run">The run.</param>
    /// <param name="response">
    /// The notification except its token. An error ends all these observations (RFC 7641 section 4.2), and so does a response without
    /// Observe option.
    /// </param>
    public void Publish(SubjectRun run, CoapMessage response)
    {
        if (run.IsLate)
        {
            _shard.Environment.Counters.Add(CoapCounter.LateResponses);
            return;
        }

        Subject subject = run.Subject;
        subject.EndRun(run);
        if (!response.Code.IsSuccess || response.OptionsToRead?.Contains(OptionNumber.Observe) != true)
        {
            EndAll(subject, response, CoapObserverEnd.Failed);
            return;
        }

        layer.Jobs.Hold();
        PreparedNotification latest = new(response, run);
        subject.Show(latest);
        long now = _shard.Environment.Now;
        for (int i = subject.Reachable - 1; i >= 0; i--)
        {
            Show(subject.Observers[i], latest, now);
        }

        if (subject.TakeNextRun())
        {
            Want(subject, now);
        }

        layer.Jobs.LookAfterPeers(now);
    }

    /// <summary>
    /// Ends an observation whose resource has another Content-Format now: a registration for one format never continues in another (RFC
    /// 7641 section 4.2).
    /// </summary>
    /// <returns>Whether it continues.</returns>
    public bool TryKeepFormat(Observer observer, PreparedNotification latest)
    {
        if (observer.TryKeepFormat(latest))
        {
            return true;
        }

        layer.Sender.End(observer, s_otherFormat, CoapObserverEnd.Failed);
        return false;
    }

    private void Show(Observer observer, PreparedNotification latest, long now)
    {
        if (!TryKeepFormat(observer, latest) || !observer.Lacks(latest))
        {
            return;
        }

        if (observer.IsOutstanding)
        {
            // It gets the newest state with the next copy, or after the acknowledgement.
            return;
        }

        if (!observer.IsWaiting)
        {
            layer.Sender.Wait(observer, now);
            observer.AwaitRun(latest.Number);
        }
        else
        {
            layer.Sender.QueuePeer(observer.Peer, now);
        }
    }

    private void EndAll(Subject subject, CoapMessage message, CoapObserverEnd end)
    {
        for (int i = subject.Observers.Count - 1; i >= 0; i--)
        {
            layer.Sender.End(subject.Observers[i], message, end);
        }
    }

    // The sizes of a run are those of the first observer's peer.
    private void RekeyFirst(Subject subject, long now)
    {
        while (!subject.IsGone && subject.Observers[0] is var first && !subject.Key.Fits(first.Channel))
        {
            layer.Table.Rekey(first, now);
            if (!first.IsOutstanding)
            {
                layer.Sender.Wait(first, now);
            }
        }
    }
}
