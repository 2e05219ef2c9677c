namespace CoAP.NET;

/// <summary>The options of an observation.</summary>
/// <remarks>Read-only once an observation uses them.</remarks>
[HasSettings]
public sealed partial class CoapObservationOptions
{
    /// <summary>Whether and how often the observation registers again when the registration is lost or in doubt.</summary>
    /// <remarks>
    /// Default <see cref="CoapReregistrationPolicy.Auto"/>. Observations of one resource share a registration; the most active rule
    /// applies.
    /// </remarks>
    public partial CoapReregistrationPolicy Reregistration { get; set; } = CoapReregistrationPolicy.Auto;

    /// <summary>Called with each notification, for packages that pass on many observations: it needs no task and no thread.</summary>
    /// <remarks>
    /// Never called concurrently; of the notifications that arrive while it runs, it gets only the newest. It runs on the receiving thread,
    /// so it must not block for long. Default: none.
    /// </remarks>
    internal Action<CoapResponse>? OnNotification { get; set; }
}
