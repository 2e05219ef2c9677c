namespace CoAP.NET;

/// <summary>
/// Marks where user code begins and ends on a thread, so that the receive role can be taken from a thread whose user code blocks.
/// Costs a field read on threads that have no role.
/// </summary>
internal static class UserCode
{
    [ThreadStatic]
    private static IReceiveRole? t_role;

    /// <summary>The role of this thread; null on threads that have none, such as those of users. Set by who receives.</summary>
    public static IReceiveRole? Role
    {
        get => t_role;
        set => t_role = value;
    }

    /// <summary>Call before user code runs.</summary>
    public static void Enter()
    {
        if (t_role is { } role && role.EnterUserCode())
        {
            StageTime.Pause();
        }
    }

    /// <summary>Call after user code ran.</summary>
    /// <returns>False if it was certainly short; true if it may have taken long.</returns>
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
