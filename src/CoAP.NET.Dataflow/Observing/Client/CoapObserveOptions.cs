namespace CoAP.NET;

/// <summary>How an observation works. Mutable; what is set later does not change observations that were made.</summary>
public sealed class CoapObserveOptions
{
    /// <summary>
    /// Whether and how often the registration is made again when it is lost or in doubt. Default <see cref="CoapReregistration.Auto"/>.
    /// Observations of one resource share a registration; the liveliest rule counts.
    /// </summary>
    public CoapReregistration Reregistration
    {
        get;
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            field = value;
        }
    }
    = CoapReregistration.Auto;

    /// <summary>
    /// Called with each notification, for programs with many observations: it costs no task and no thread. Never called twice at a time;
    /// notifications that come while it runs are skipped but for the newest. It runs on the thread that receives, so it must not block for
    /// long. Default: none.
    /// </summary>
    public Action<CoapResponse>? OnNotification { get; set; }
}
