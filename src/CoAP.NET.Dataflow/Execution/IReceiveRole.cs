namespace CoAP.NET;

/// <summary>A receive loop as seen by the stages that run on its thread. Calls nest.</summary>
internal interface IReceiveRole
{
    /// <summary>User code begins; from here on the role may be taken by a stand-by thread.</summary>
    void EnterUserCode();

    /// <summary>User code ended; the thread may have lost the role meanwhile.</summary>
    void ExitUserCode();
}
