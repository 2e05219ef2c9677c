namespace CoAP.NET;

/// <summary>What a thread that works on received messages, or on a clock, is told of the user code on it. Calls nest.</summary>
internal interface IReceiveRole
{
    /// <summary>
    /// Whether what follows a response may run on this thread now: no user code runs around it, and a stand-by takes the role when it
    /// blocks.
    /// </summary>
    bool MayRunContinuations => false;

    /// <summary>Whether the role was taken from its thread, whose user code blocked.</summary>
    bool IsLost => false;

    /// <summary>Whether the thread lately had time for hardly anything but user code, so that it cannot keep up.</summary>
    bool IsCrowded => false;

    /// <summary>User code begins; from here on the role may be taken by a stand-by thread.</summary>
    /// <returns>Whether no other user code of the thread runs around it.</returns>
    bool EnterUserCode();

    /// <summary>User code ended; the thread may have lost the role meanwhile.</summary>
    UserCodeEnd ExitUserCode();
}
