namespace CoAP.NET;

/// <summary>What a role knows when user code ends on its thread.</summary>
internal enum UserCodeEnd
{
    /// <summary>Other user code of the thread still runs around it.</summary>
    Nested,

    /// <summary>It was so short that the watchdog did not see it: the time of the stages still holds.</summary>
    Soon,

    /// <summary>Time has passed.</summary>
    Late,
}
