using CoAP.NET.Exchanges;

namespace CoAP.NET.Observing;

/// <summary>A run of a handler for notifications, from its synthetic exchange back to the subject.</summary>
/// <param name="Subject">The subject.</param>
/// <param name="Number">The number of the run of the subject.</param>
/// <param name="Change">The last known change at its start.</param>
/// <param name="Sequence">The sequence number of its notifications (RFC 7641 section 4.4).</param>
internal sealed record SubjectRun(Subject Subject, long Number, long Change, uint Sequence) : ObservingExchange
{
    /// <inheritdoc/>
    public override bool IsForObservers => true;

    /// <summary>Whether its response is probably no longer needed; read without the lock.</summary>
    public bool IsLate => Subject.IsGone || !Subject.IsRunning || Number != Subject.Started;
}
