namespace CoAP.NET.Observing;

/// <summary>A run of a handler for notifications, from its synthetic exchange back to the subject.</summary>
/// <param name="Subject">For whom.</param>
/// <param name="Number">Counts the runs of the subject.</param>
/// <param name="Change">The last change that was known when it began.</param>
internal sealed record SubjectRun(Subject Subject, long Number, long Change);
