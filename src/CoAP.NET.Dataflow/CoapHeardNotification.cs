namespace CoAP.NET;

/// <summary>
/// The newest notification that an observer has heard: its place in the order of notifications (RFC 7641 section 3.4), tied to the wall
/// clock so that it means the same in another process.
/// </summary>
/// <param name="Number">The value of its Observe option, 24 bits.</param>
/// <param name="At">When it came.</param>
/// <param name="MaxAge">How long it is current; when that is over without another notification, the observer registers again.</param>
public sealed record CoapHeardNotification(uint Number, DateTimeOffset At, TimeSpan MaxAge);
