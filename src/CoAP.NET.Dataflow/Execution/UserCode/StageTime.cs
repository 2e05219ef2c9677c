namespace CoAP.NET;

/// <summary>
/// The time of the datagram that a receive loop works on, so that the stages it passes read the clock once and not each for itself. Forgotten
/// after some that were read together, and after user code that took long; user code itself reads the clock. Threads that are no
/// receive loops keep nothing.
/// </summary>
internal static class StageTime
{
    private const long Off = 0;
    private const long Unknown = 1;

    [ThreadStatic]
    private static long t_now;

    /// <summary>
    /// From here on this thread keeps the time that it reads next. Called again, or <see cref="Forget"/>, for whatever comes later.
    /// </summary>
    public static void Begin() => t_now = Unknown;

    /// <summary>From here on this thread keeps nothing.</summary>
    public static void End() => t_now = Off;

    /// <summary>The next one who asks reads the clock again.</summary>
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

    /// <summary>User code ended soon: the time from before it still holds.</summary>
    public static void Resume()
    {
        if (t_now < Off)
        {
            t_now = -t_now;
        }
    }

    /// <summary>The time that is kept.</summary>
    public static bool TryGet(out long now)
    {
        now = t_now;
        return now > Unknown;
    }

    /// <summary>Keeps a time that was just read, on a thread that does so.</summary>
    public static void Keep(long now)
    {
        if (t_now == Unknown)
        {
            t_now = now;
        }
    }
}
