using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Running;

/// <summary>
/// Sends requests at a rate, whatever the server does. A thread of its own sends each when it is due, through any idle peer; without one,
/// requests wait in a backlog. All times count from the due time.
/// </summary>
internal sealed class OpenLoop(LoadPlan plan, LoadPeers peers, LoadMeter meter) : RequestLoop(plan, peers, meter)
{
    // The interval of checks whether the measured time was cut short.
    private const long LongestSleep = 20_000_000;

    private readonly long _timeout = MonotonicTimestamp.FromSeconds(plan.TimeoutSeconds);
    private readonly ArrivalTimes _arrivals = new(plan.Rate, plan.RampSeconds, plan.Poisson, unchecked((plan.Seed * 31) + plan.FirstPeer));
    private readonly DueRequestQueue _queue = new();
    private Task _pacing = Task.CompletedTask;

    public override void Begin(long begun) =>
        _pacing = Task.Factory.StartNew(() => Pace(begun), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    public override async Task WhenEndedAsync()
    {
        await _pacing.ConfigureAwait(false);
        await base.WhenEndedAsync().ConfigureAwait(false);
    }

    protected override async Task RunAsync(SimulatedPeer peer)
    {
        CoapRequest request = peer.NewRequest();
        DueRequestWaiter waiter = new();
        while (true)
        {
            long due = await _queue.TakeAsync(waiter).ConfigureAwait(false);
            if (due == DueRequestQueue.Over)
            {
                return;
            }

            long left = _timeout - (MonotonicTimestamp.Now - due);
            if (left <= 0)
            {
                // All peers were busy for so long: for its user the request is lost.
                Meter.Lost(due);
                continue;
            }

            request.Timeout = TimeSpan.FromSeconds(MonotonicTimestamp.ToSeconds(left));
            try
            {
                OnAnswer(peer, await peer.Take().SendAsync(request).ConfigureAwait(false), due);
            }
            catch (CoapException exception)
            {
                OnFailure(exception, due);
            }
            catch (ObjectDisposedException)
            {
                // The run was cancelled: its clients are disposed immediately.
                return;
            }
        }
    }

    private void Pace(long begun)
    {
        try
        {
            PreciseSleep.MakeExact();
            while (true)
            {
                long due = begun + MonotonicTimestamp.FromSeconds(_arrivals.Next);
                long to = Meter.To;
                long left = Math.Min(due, to) - MonotonicTimestamp.Now;
                if (left > 0)
                {
                    PreciseSleep.For(Math.Min(MonotonicTimestamp.ToNanoseconds(left), LongestSleep));
                }
                else if (due < to)
                {
                    _queue.Add(due);
                    _arrivals.MoveOn();
                }
                else
                {
                    return;
                }
            }
        }
        finally
        {
            _queue.End();
        }
    }
}
