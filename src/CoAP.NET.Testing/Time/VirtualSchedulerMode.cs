namespace CoAP.NET.Testing;

/// <summary>When a <see cref="VirtualScheduler"/> runs what is queued.</summary>
public enum VirtualSchedulerMode
{
    /// <summary>
    /// When <see cref="VirtualScheduler.RunOne"/> or <see cref="VirtualScheduler.RunAll"/> is called, or the clock it was given goes on.
    /// </summary>
    Queued,

    /// <summary>At once, on the thread that queues, before <see cref="CoapScheduler.Queue"/> returns.</summary>
    Inline,
}
