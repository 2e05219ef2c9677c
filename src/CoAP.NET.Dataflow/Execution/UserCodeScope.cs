namespace CoAP.NET.Execution;

/// <summary>
/// Marks the start and end of user code on a thread, so a stand-by can take the receive role from a thread whose user code blocks. Costs a
/// field read on threads without a role.
/// </summary>
internal static class UserCodeScope
{
    [ThreadStatic]
    private static IUserCodeTracker? t_role;

    /// <summary>
    /// The role of this thread; null on threads without one, such as those of the application. The receiving code sets it.
    /// </summary>
    public static IUserCodeTracker? Role
    {
        get => t_role;
        set => t_role = value;
    }

    /// <summary>Call before user code runs.</summary>
    public static void Enter() => t_role?.EnterUserCode();

    /// <summary>Call after user code ran.</summary>
    /// <returns>False if the code was certainly short; true if it may have taken long.</returns>
    public static bool Exit() => t_role?.ExitUserCode() ?? true;
}
