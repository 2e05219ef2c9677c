using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Running;

/// <summary>Sends the requests of a run: a loop for each concurrent request of a peer.</summary>
internal abstract class RequestLoop : IDisposable
{
    private readonly LoadPeers _peers;
    private readonly AnswerCheck _check;
    private readonly List<Task> _running = [];
    private readonly CancellationTokenSource _failure = new();

    protected RequestLoop(LoadPlan plan, LoadPeers peers, LoadMeter meter)
    {
        (_peers, Meter, _check) = (peers, meter, new AnswerCheck(plan));
        Count = peers.Count * plan.Depth;
    }

    public int Count { get; }

    public int Started => _running.Count;

    public int StartedPeers => Math.Min(_running.Count, _peers.Count);

    /// <summary>Cancelled when a loop failed for a reason other than the server.</summary>
    public CancellationToken Failed => _failure.Token;

    protected LoadMeter Meter { get; }

    /// <summary>Begins the run.</summary>
    /// <param name="begun">The start, as a timestamp.</param>
    public virtual void Begin(long begun)
    {
    }

    /// <summary>Starts the next loop: first one of each peer, then their second ones.</summary>
    public void StartNext() => _running.Add(GuardAsync(_peers[_running.Count % _peers.Count]));

    /// <summary>
    /// Ends when all started loops have ended, which they do when the measured time is over and pending requests are answered or lost.
    /// </summary>
    public virtual Task WhenEndedAsync() => Task.WhenAll(_running);

    /// <summary>Call it when all loops have ended.</summary>
    public void Dispose() => _failure.Dispose();

    /// <summary>Sends requests of a peer until the end.</summary>
    protected abstract Task RunAsync(SimulatedPeer peer);

    /// <summary>Handles an answer, correct or wrong.</summary>
    protected void OnAnswer(SimulatedPeer peer, CoapResponse response, long begun)
    {
        if (_check.FaultOf(response) is { } fault)
        {
            Meter.Failed(begun, fault);
        }
        else
        {
            Meter.Answered(begun);
        }

        long further = _peers.Shape.FurtherMessages(response.Payload.Length);
        if (further > 0)
        {
            peer.AddMessages(further);
        }
    }

    /// <summary>Handles a missing answer.</summary>
    /// <returns>True if the request failed; false if it timed out.</returns>
    protected bool OnFailure(CoapException exception, long begun)
    {
        if (AnswerCheck.FaultOf(exception) is { } fault)
        {
            Meter.Failed(begun, fault);
            return true;
        }

        Meter.Lost(begun);
        return false;
    }

    private async Task GuardAsync(SimulatedPeer peer)
    {
        try
        {
            await RunAsync(peer).ConfigureAwait(false);
        }
        catch
        {
            await _failure.CancelAsync().ConfigureAwait(false);
            throw;
        }
    }
}
