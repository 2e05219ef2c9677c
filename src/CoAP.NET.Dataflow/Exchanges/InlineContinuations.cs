namespace CoAP.NET.Exchanges;

/// <summary>
/// Decides where the code after an awaited response runs. Short code runs on the receiving thread: it needs no other thread, and following
/// requests leave together. When a continuation forced a hand-over, or continuations prove expensive, they run on the thread pool for a
/// while (decision 0008). Concurrent updates may get lost, which only delays a decision.
/// </summary>
/// <param name="environment">The environment, for the clock.</param>
internal sealed class InlineContinuations(CoapEnvironment environment)
{
    private long _pausedUntil = long.MinValue;
    private long _lastPause;
    private IUserCodeTracker? _current;
    private int _count;
    private int _samples;
    private long _sampled;

    /// <summary>Whether continuations currently run on the pool.</summary>
    public bool IsPaused => _pausedUntil != long.MinValue && environment.Now < _pausedUntil;

    /// <summary>Runs the continuations of a request on this thread, if it receives and has time for them.</summary>
    /// <returns>False when nothing was run.</returns>
    public bool TryRun(ClientRequest request)
    {
        if (UserCodeScope.Role is not { MayRunContinuations: true } role || IsPaused)
        {
            return false;
        }

        if (_current is { IsLost: true })
        {
            // A continuation still blocks the previous thread of the role.
            _current = null;
            OnBlocked();
            return false;
        }

        _current = role;
        bool isSample = (_count++ & (UserCodePolicy.ContinuationSamplePeriod - 1)) == 0;
        long started = isSample ? TimeProvider.System.GetTimestamp() : 0;
        UserCodeScope.Enter();
        try
        {
            request.Execute();
        }
        finally
        {
            UserCodeScope.Exit();
            if (_current == role)
            {
                _current = null;
                if (role.IsLost)
                {
                    OnBlocked();
                }
                else if (isSample)
                {
                    Sample(TimeProvider.System.GetElapsedTime(started));
                }
            }
        }

        return true;
    }

    private void OnBlocked()
    {
        long now = environment.Now;
        long longest = UserCodePolicy.LongestContinuationPause.Ticks;
        bool isSoon = _pausedUntil != long.MinValue && now - _pausedUntil < longest;
        _lastPause = isSoon ? Math.Min(_lastPause * 2, longest) : UserCodePolicy.ContinuationBlockPause.Ticks;
        _pausedUntil = now + _lastPause;
    }

    private void Sample(TimeSpan time)
    {
        // A cheap approximation of the median.
        long limit = UserCodePolicy.ContinuationIsWorkFrom.Ticks;
        _sampled += Math.Min(time.Ticks, UserCodePolicy.ContinuationOutlier * limit);
        if (++_samples == UserCodePolicy.ContinuationSamples)
        {
            if (_sampled > limit * UserCodePolicy.ContinuationSamples)
            {
                _pausedUntil = environment.Now + UserCodePolicy.ContinuationWorkPause.Ticks;
                _lastPause = UserCodePolicy.ContinuationBlockPause.Ticks;
            }

            (_samples, _sampled) = (0, 0);
        }
    }
}
