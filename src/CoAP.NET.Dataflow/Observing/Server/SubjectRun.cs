using CoAP.NET.Exchanges;

namespace CoAP.NET.Observing;

/// <summary>A run of a handler for notifications, from its synthetic exchange back to the subject.</summary>
/// <param name="Subject">For whom.</param>
/// <param name="Number">Counts the runs of the subject.</param>
/// <param name="Change">The last change that was known when it began.</param>
/// <param name="Sequence">The sequence number of its notifications (RFC 7641 section 4.4).</param>
internal sealed record SubjectRun(Subject Subject, long Number, long Change, uint Sequence) : ObservingExchange
{
    /// <inheritdoc/>
    public override bool IsForObservers => true;

    /// <summary>Whether it seems that nobody wants its answer any more; a glance without the lock.</summary>
    public bool IsLate => Subject.IsGone || !Subject.IsRunning || Number != Subject.Started;
}
