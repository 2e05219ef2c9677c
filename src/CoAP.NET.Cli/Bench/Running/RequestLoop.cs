namespace CoAP.NET.Cli.Bench;

/// <summary>What sends the requests of a run: a loop for each request that a peer may have under way.</summary>
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

    /// <summary>How many loops there are.</summary>
    public int Count { get; }

    /// <summary>How many have begun.</summary>
    public int Started => _running.Count;

    /// <summary>How many peers have begun.</summary>
    public int StartedPeers => Math.Min(_running.Count, _peers.Count);

    /// <summary>Cancelled when a loop failed for a reason that is none of the server's.</summary>
    public CancellationToken Failed => _failure.Token;

    protected LoadMeter Meter { get; }

    /// <summary>The run begins.</summary>
    /// <param name="begun">When, as a time stamp.</param>
    public virtual void Begin(long begun)
    {
    }

    /// <summary>Starts the next loop: first one of each peer, then their second ones.</summary>
    public void StartNext() => _running.Add(GuardAsync(_peers[_running.Count % _peers.Count]));

    /// <summary>
    /// Ends when all loops that were started have, which they do when the measured time is over and what is under way was answered or lost.
    /// </summary>
    public virtual Task WhenEndedAsync() => Task.WhenAll(_running);

    /// <summary>Call it when all loops have ended.</summary>
    public void Dispose() => _failure.Dispose();

    /// <summary>Sends requests of a peer until the end.</summary>
    protected abstract Task RunAsync(LoadPeer peer);

    /// <summary>An answer came, right or wrong.</summary>
    protected void OnAnswer(LoadPeer peer, CoapResponse response, long begun)
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

    /// <summary>No answer came.</summary>
    /// <returns>Whether the request failed, in contrast to having waited in vain.</returns>
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

    private async Task GuardAsync(LoadPeer peer)
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
