namespace CoAP.NET;

/// <summary>The result of <see cref="IReceiveRole.ExitUserCode"/>.</summary>
internal enum UserCodeEnd
{
    /// <summary>Other user code of the thread still encloses it.</summary>
    Nested,

    /// <summary>The code was so short that the watchdog did not see it: the time of the stages is still valid.</summary>
    Soon,

    /// <summary>Time has passed.</summary>
    Late,
}
