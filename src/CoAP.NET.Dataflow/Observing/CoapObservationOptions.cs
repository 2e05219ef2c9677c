namespace CoAP.NET;

/// <summary>The options of an observation.</summary>
/// <remarks>Mutable; later changes do not affect existing observations.</remarks>
public sealed class CoapObservationOptions
{
    /// <summary>Whether and how often the observation registers again when the registration is lost or in doubt.</summary>
    /// <remarks>
    /// Default <see cref="CoapReregistrationPolicy.Auto"/>. Observations of one resource share a registration; the most active rule
    /// applies.
    /// </remarks>
    public CoapReregistrationPolicy Reregistration
    {
        get;
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            field = value;
        }
    }
    = CoapReregistrationPolicy.Auto;

    /// <summary>Called with each notification, for packages that pass on many observations: it needs no task and no thread.</summary>
    /// <remarks>
    /// Never called concurrently; of the notifications that arrive while it runs, it gets only the newest. It runs on the receiving thread,
    /// so it must not block for long. Default: none.
    /// </remarks>
    internal Action<CoapResponse>? OnNotification { get; set; }
}
