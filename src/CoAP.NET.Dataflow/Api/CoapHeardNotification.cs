namespace CoAP.NET;

/// <summary>
/// The newest notification of an observation: its place in the order of notifications (RFC 7641 section 3.4), tied to the wall clock, so it
/// has the same meaning in another process.
/// </summary>
/// <param name="Number">The value of its Observe option, 24 bits.</param>
/// <param name="At">The time of its arrival.</param>
/// <param name="MaxAge">How long it is fresh; if it expires without another notification, the observer registers again.</param>
public sealed record CoapHeardNotification(uint Number, DateTimeOffset At, TimeSpan MaxAge);
