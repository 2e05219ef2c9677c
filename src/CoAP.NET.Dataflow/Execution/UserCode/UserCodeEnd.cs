namespace CoAP.NET;

/// <summary>What a receive loop knows when user code ends on its thread.</summary>
internal enum UserCodeEnd
{
    /// <summary>Other user code of the thread still runs around it.</summary>
    Nested,

    /// <summary>It ended so soon that nobody noticed: the clock need not be read again.</summary>
    Soon,

    /// <summary>Time has passed.</summary>
    Late,
}
