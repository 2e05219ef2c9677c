namespace CoAP.NET.Testing;

/// <summary>Selects when a <see cref="VirtualScheduler"/> runs queued work.</summary>
public enum VirtualSchedulerMode
{
    /// <summary>
    /// When <see cref="VirtualScheduler.RunOne"/> or <see cref="VirtualScheduler.RunAll"/> is called, or the clock of the scheduler
    /// advances.
    /// </summary>
    Queued,

    /// <summary>Immediately, on the queuing thread, before <see cref="CoapScheduler.Queue"/> returns.</summary>
    Inline,
}
