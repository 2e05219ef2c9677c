namespace CoAP.NET;

/// <summary>
/// The time of the datagram that a receive loop processes: its stages share one reading of the clock. It is forgotten after
/// <see cref="UserCodePolicy.TurnsOfOneTime"/> turns and after long user code. User code never sees it. Threads other than receive loops
/// keep nothing.
/// </summary>
internal static class StageTime
{
    private const long Off = 0;
    private const long Unknown = 1;

    [ThreadStatic]
    private static long t_now;

    /// <summary>From here on this thread keeps the next time that it reads.</summary>
    public static void Begin() => t_now = Unknown;

    /// <summary>From here on this thread keeps no time.</summary>
    public static void End() => t_now = Off;

    /// <summary>Makes the next caller of <see cref="CoapEnvironment.Now"/> read the clock again.</summary>
    public static void Forget()
    {
        if (t_now != Off)
        {
            t_now = Unknown;
        }
    }

    /// <summary>Suspends the time for user code, which reads the clock itself.</summary>
    public static void Pause()
    {
        if (t_now > Off)
        {
            t_now = -t_now;
        }
    }

    /// <summary>Resumes after short user code: the earlier time is still valid.</summary>
    public static void Resume()
    {
        if (t_now < Off)
        {
            t_now = -t_now;
        }
    }

    public static bool TryGet(out long now)
    {
        now = t_now;
        return now > Unknown;
    }

    /// <summary>Keeps a time that was just read, if this thread keeps times.</summary>
    public static void Keep(long now)
    {
        if (t_now == Unknown)
        {
            t_now = now;
        }
    }
}
