namespace CoAP.NET;

/// <summary>
/// Marks the stretches of a thread in which user code runs, so that the receive role can be taken from a thread whose user code blocks.
/// A receive loop puts its role into <see cref="Role"/>; on other threads the marks cost a field read.
/// </summary>
internal static class UserCode
{
    [ThreadStatic]
    private static IReceiveRole? t_role;

    /// <summary>The receive role that this thread holds or held when it entered user code; null on threads that never receive.</summary>
    public static IReceiveRole? Role
    {
        get => t_role;
        set => t_role = value;
    }

    /// <summary>Call before user code runs: a handler, an option factory, a block that a user linked in.</summary>
    public static void Enter()
    {
        if (t_role is { } role && role.EnterUserCode())
        {
            StageTime.Pause();
        }
    }

    /// <summary>Call after user code ran.</summary>
    /// <returns>Whether it may have taken long. False only where the watchdog of a receive loop would have noticed.</returns>
    public static bool Exit()
    {
        if (t_role is not { } role)
        {
            return true;
        }

        switch (role.ExitUserCode())
        {
            case UserCodeEnd.Soon:
                StageTime.Resume();
                return false;
            case UserCodeEnd.Late:
                StageTime.Forget();
                return true;
            default:
                return true;
        }
    }
}
