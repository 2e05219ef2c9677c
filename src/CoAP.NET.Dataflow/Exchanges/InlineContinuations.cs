namespace CoAP.NET.Exchanges;

/// <summary>
/// Decides where the code after an awaited response runs. Short code runs on the receiving thread: it needs no other thread, and following
/// requests leave together. When a continuation forced a hand-over, or continuations prove expensive, they run on the thread pool for a
/// while (decision 0008).
/// </summary>
/// <param name="environment">The environment, for the clock.</param>
internal sealed class InlineContinuations(CoapEnvironment environment)
{
    private readonly UserCodeCost _cost = new(environment.TimeProvider);

    // Concurrent updates may get lost, which only delays a decision.
    private ReceiveLoopOwnership? _current;

    /// <summary>Whether continuations currently run on the pool.</summary>
    public bool AreAside => _cost.IsAside;

    /// <summary>Runs the continuations of a request on this thread, if it receives and has time for them.</summary>
    /// <returns>False when nothing was run.</returns>
    public bool TryRun(ClientRequest request)
    {
        if (UserCodeScope.Role is not ReceiveLoopOwnership { MayRunContinuations: true } role || _cost.IsAside)
        {
            return false;
        }

        if (_current is { IsHeld: false })
        {
            // A continuation still blocks the previous thread of the role.
            _current = null;
            _cost.Move();
            return false;
        }

        _current = role;
        long started = TimeProvider.System.GetTimestamp();
        role.EnterUserCode();
        try
        {
            request.Execute();
        }
        finally
        {
            role.ExitUserCode();
            if (_current == role)
            {
                _current = null;
                if (role.IsHeld)
                {
                    _cost.Observe(TimeProvider.System.GetElapsedTime(started), isWaitedFor: true);
                }
                else
                {
                    _cost.Move();
                }
            }
        }

        return true;
    }

    /// <summary>Runs the continuations of a request on this thread of the pool.</summary>
    public void RunOnPool(ClientRequest request)
    {
        long started = TimeProvider.System.GetTimestamp();
        request.Execute();
        if (_cost.IsAside)
        {
            _cost.ObserveAside(TimeProvider.System.GetElapsedTime(started));
        }
    }
}
