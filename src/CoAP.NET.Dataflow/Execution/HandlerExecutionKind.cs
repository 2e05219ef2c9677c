namespace CoAP.NET.Execution;

/// <summary>Where the handlers of a route run.</summary>
internal enum HandlerExecutionKind : byte
{
    /// <summary>On the thread that received the request, until it proves slow.</summary>
    Inline,

    /// <summary>On threads of the library, several requests at a time.</summary>
    Queued,

    /// <summary>One request at a time until it is answered; on the receiving thread when no other waits.</summary>
    Serial,

    /// <summary>On threads of the library, several requests at a time, each until its handler returns its task.</summary>
    Offloaded,

    /// <summary>On a task scheduler of the application.</summary>
    Scheduler,
}
