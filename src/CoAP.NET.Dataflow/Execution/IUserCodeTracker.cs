namespace CoAP.NET.Execution;

/// <summary>Tracks the user code on a thread that processes received messages, or drives a clock. Calls nest.</summary>
internal interface IUserCodeTracker
{
    /// <summary>
    /// Whether continuations of a response may run on this thread now: no user code encloses them, and a stand-by takes the role when they
    /// block.
    /// </summary>
    bool MayRunContinuations => false;

    /// <summary>Whether the thread lost the role because its user code blocked.</summary>
    bool IsLost => false;

    /// <summary>Whether the thread was lately busy almost only with user code, so it cannot keep up.</summary>
    bool IsCrowded => false;

    /// <summary>Marks the start of user code; from here on a stand-by thread may take the role.</summary>
    void EnterUserCode();

    /// <summary>Marks the end of user code; the thread may have lost the role meanwhile.</summary>
    /// <returns>False if the code was so short that the watchdog did not see it, and no other user code encloses it.</returns>
    bool ExitUserCode();
}
