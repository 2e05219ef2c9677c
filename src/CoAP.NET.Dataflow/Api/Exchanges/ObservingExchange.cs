namespace CoAP.NET.Exchanges;

/// <summary>
/// The observer role of an exchange (RFC 7641 section 4): it registers one, or computes the state for notifications. The Observing folder
/// defines which.
/// </summary>
internal abstract record ObservingExchange
{
    /// <summary>Whether it is the synthetic exchange that computes the state for notifications.</summary>
    public abstract bool IsForObservers { get; }
}
