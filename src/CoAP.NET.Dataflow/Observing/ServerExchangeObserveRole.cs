namespace CoAP.NET.Observing;

/// <summary>
/// The observer role of an exchange (RFC 7641 section 4): it registers one, or computes the state for notifications. The Observing folder
/// defines which.
/// </summary>
internal abstract class ServerExchangeObserveRole
{
    /// <summary>Whether it is the synthetic exchange that computes the state for notifications.</summary>
    public abstract bool IsForObservers { get; }

    /// <summary>Returns a copy of a result as a notification: a result may belong to many responses, so it is not changed.</summary>
    /// <param name="result">The result.</param>
    /// <param name="number">The sequence number.</param>
    /// <param name="maxAge">The Max-Age in seconds, unless the result has one.</param>
    protected static CoapResult WithObserve(CoapResult result, uint number, uint maxAge)
    {
        CoapResult notification = result.Copy();
        notification.OwnOptions.Remove(OptionNumber.Observe);
        notification.OwnOptions.AddUInt(OptionNumber.Observe, number);
        if (maxAge != CoapResult.DefaultMaxAge && !notification.Options.Contains(OptionNumber.MaxAge))
        {
            notification.OwnOptions.AddUInt(OptionNumber.MaxAge, maxAge);
        }

        return notification;
    }

    /// <summary>Returns a result, or a copy, without the option: the client is not an observer.</summary>
    protected static CoapResult WithoutObserve(CoapResult result)
    {
        if (!result.HasOptions || !result.OptionsToRead!.Contains(OptionNumber.Observe))
        {
            return result;
        }

        CoapResult plain = result.Copy();
        plain.OwnOptions.Remove(OptionNumber.Observe);
        return plain;
    }
}
