using CoAP.NET.Exchanges;

namespace CoAP.NET;

/// <summary>
/// Decides where what users do after a response runs: on the thread that received it, as handlers do, as long as that is short; so it costs no other thread, and requests that follow leave
/// together. When a continuation made the loop hand over, or they prove to be work, they go to the thread pool for a while. For the thread that receives; several threads may lose updates to one
/// another, which only delays a decision.
/// </summary>
/// <param name="environment">For the clock.</param>
internal sealed class InlineContinuations(CoapEnvironment environment)
{
    /// <summary>From this on, on the average, continuations are work that other processors should share.</summary>
    internal static readonly TimeSpan Work = TimeSpan.FromMicroseconds(50);

    /// <summary>How long they go to the pool when they were found to be work.</summary>
    internal static readonly TimeSpan WorkPause = TimeSpan.FromSeconds(5);

    /// <summary>How long they go to the pool when one blocked its thread; doubled each time up to <see cref="LongestPause"/>, when they do so again soon after.</summary>
    internal static readonly TimeSpan BlockPause = TimeSpan.FromSeconds(1);

    /// <summary>See <see cref="BlockPause"/>.</summary>
    internal static readonly TimeSpan LongestPause = TimeSpan.FromMinutes(1);

    private const int SamplePeriod = 16;
    private const int Samples = 16;

    private long _pausedUntil = long.MinValue;
    private long _lastPause;
    private IReceiveRole? _current;
    private int _count;
    private int _samples;
    private long _sampled;

    /// <summary>Whether they go to the pool now.</summary>
    public bool IsPaused => _pausedUntil != long.MinValue && environment.Now < _pausedUntil;

    /// <summary>Runs the continuations of a request here, if this is the place for it.</summary>
    /// <returns>False: nothing was done.</returns>
    public bool TryRun(ClientRequest request)
    {
        if (UserCode.Role is not { MayRunContinuations: true } role || IsPaused)
        {
            return false;
        }

        if (_current is { IsLost: true })
        {
            // It still blocks the thread that had the role before.
            _current = null;
            OnBlocked();
            return false;
        }

        _current = role;
        long started = (_count++ & (SamplePeriod - 1)) == 0 ? TimeProvider.System.GetTimestamp() : 0;
        UserCode.Enter();
        try
        {
            request.Execute();
        }
        finally
        {
            UserCode.Exit();
            if (_current == role)
            {
                _current = null;
                if (role.IsLost)
                {
                    OnBlocked();
                }
                else if (started != 0)
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
        bool isSoon = _pausedUntil != long.MinValue && now - _pausedUntil < LongestPause.Ticks;
        _lastPause = isSoon ? Math.Min(_lastPause * 2, LongestPause.Ticks) : BlockPause.Ticks;
        _pausedUntil = now + _lastPause;
    }

    private void Sample(TimeSpan time)
    {
        // The median would be better and costs more; one long one among many, as the runtime compiles or collects, weighs no more than that it is work.
        _sampled += Math.Min(time.Ticks, 2 * Work.Ticks);
        if (++_samples == Samples)
        {
            if (_sampled > Work.Ticks * Samples)
            {
                _pausedUntil = environment.Now + WorkPause.Ticks;
                _lastPause = BlockPause.Ticks;
            }

            (_samples, _sampled) = (0, 0);
        }
    }
}
