namespace CoAP.NET.Exchanges;

/// <summary>
/// What an exchange has to do with observers (RFC 7641 section 4): it registers one, or makes the state for notifications. The chapter of
/// Observe says which.
/// </summary>
internal abstract record ObservingExchange
{
    /// <summary>Whether it is the synthetic exchange by which the state for notifications is made.</summary>
    public abstract bool IsForObservers { get; }
}
