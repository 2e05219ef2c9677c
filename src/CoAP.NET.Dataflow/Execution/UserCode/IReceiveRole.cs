namespace CoAP.NET;

/// <summary>A receive loop as seen by the stages that run on its thread. Calls nest.</summary>
internal interface IReceiveRole
{
    /// <summary>Whether what users do after a response may run on this thread now: no user code of it runs around that, and a stand-by takes the role when it blocks.</summary>
    bool MayRunContinuations => false;

    /// <summary>Whether the role was taken from its thread, whose user code blocked.</summary>
    bool IsLost => false;

    /// <summary>Whether hardly anything but user code has run on the receiving thread for a while: it cannot keep up with what comes.</summary>
    bool IsCrowded => false;

    /// <summary>User code begins; from here on the role may be taken by a stand-by thread.</summary>
    /// <returns>Whether no other user code of the thread runs around it.</returns>
    bool EnterUserCode();

    /// <summary>User code ended; the thread may have lost the role meanwhile.</summary>
    /// <returns>What is known of its duration.</returns>
    UserCodeEnd ExitUserCode();
}
