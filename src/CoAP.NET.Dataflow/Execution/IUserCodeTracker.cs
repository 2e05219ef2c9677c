namespace CoAP.NET.Execution;

/// <summary>Tracks the user code on a thread that processes received messages, or drives a clock. Calls nest.</summary>
internal interface IUserCodeTracker
{
    /// <summary>Whether the thread was lately busy mostly with user code, so others wait for it.</summary>
    bool IsCrowded => false;

    /// <summary>Marks the start of user code; from here on a stand-by thread may take the role.</summary>
    void EnterUserCode();

    /// <summary>Marks the end of user code; the thread may have lost the role meanwhile.</summary>
    /// <returns>False if the code was so short that the watchdog did not see it, and no other user code encloses it.</returns>
    bool ExitUserCode();
}
