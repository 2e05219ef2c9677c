namespace CoAP.NET;

/// <summary>
/// The time of the datagram that a receive loop works on: the stages it passes share one reading of the clock. It is forgotten after
/// <see cref="UserCodePolicy.TurnsOfOneTime"/> turns and after user code that took long. User code never sees it. Threads that are no
/// receive loops keep nothing.
/// </summary>
internal static class StageTime
{
    private const long Off = 0;
    private const long Unknown = 1;

    [ThreadStatic]
    private static long t_now;

    /// <summary>From here on this thread keeps the time that it reads next.</summary>
    public static void Begin() => t_now = Unknown;

    /// <summary>From here on this thread keeps no time.</summary>
    public static void End() => t_now = Off;

    /// <summary>The next caller of <see cref="CoapEnvironment.Now"/> reads the clock again.</summary>
    public static void Forget()
    {
        if (t_now != Off)
        {
            t_now = Unknown;
        }
    }

    /// <summary>User code begins: it reads the clock itself.</summary>
    public static void Pause()
    {
        if (t_now > Off)
        {
            t_now = -t_now;
        }
    }

    /// <summary>User code was short: the time from before it still holds.</summary>
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

    /// <summary>Keeps a time that was just read, if this thread keeps any.</summary>
    public static void Keep(long now)
    {
        if (t_now == Unknown)
        {
            t_now = now;
        }
    }
}
